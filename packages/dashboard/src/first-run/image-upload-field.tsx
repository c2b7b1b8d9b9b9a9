/** Image of the page: its upload, and the problems of file and address. */
import { useMutation } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { problemText } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { ImageField } from '../kit/image-field.tsx'
import { useTexts } from '../texts/texts.tsx'

const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/svg+xml'] as const

interface ImageUploadFieldProps {
  label: string
  hint: string
  /** Error of the stored address. */
  error?: string
  value: string
  onChange(url: string): void
}

export const ImageUploadField = ({ error, onChange, ...props }: ImageUploadFieldProps) => {
  const texts = useTexts()
  const upload = useMutation({ mutationFn: uploadImage, onSuccess: onChange })
  const { file: fileError } = useFieldErrors(upload.error)
  const uploadError =
    upload.error === null ? undefined : (fileError ?? problemText(upload.error, texts))
  return (
    <ImageField
      {...props}
      texts={texts.image}
      types={imageTypes}
      error={uploadError ?? error}
      isUploading={upload.isPending}
      onFile={(file) => upload.mutate(file)}
      onChange={(url) => {
        upload.reset()
        onChange(url)
      }}
    />
  )
}

const uploadImage = async (file: File): Promise<string> => {
  const { data } = await api.POST('/api/v1/uploads', {
    // The type of a file in the document of the API is a string.
    body: { file: file as unknown as string },
    bodySerializer: () => {
      const form = new FormData()
      form.append('file', file)
      return form
    },
  })
  return data.url
}
