/** Button that copies a text to the clipboard. */
import { useMutation } from '@tanstack/react-query'
import { useTexts } from '../texts/texts.tsx'
import { Button } from './button.tsx'
import { Note } from './note.tsx'

interface CopyButtonProps {
  text: string
  /** Name of the button where several are near each other. */
  label?: string
}

export const CopyButton = ({ text, label }: CopyButtonProps) => {
  const { copy: texts } = useTexts()
  // Browsers offer no clipboard to a page that was loaded without TLS.
  const copy = useMutation({ mutationFn: async () => navigator.clipboard.writeText(text) })
  return (
    <>
      <Button onPress={() => copy.mutate()} aria-label={label}>
        {copy.isSuccess ? texts.copied : texts.copy}
      </Button>
      {copy.isError && (
        <Note state="down" role="alert">
          {texts.failed}
        </Note>
      )}
    </>
  )
}
