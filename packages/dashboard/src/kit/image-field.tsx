/** Image: a file, chosen or dropped, that the caller uploads, or the address of an image. */
import { useId } from 'react'
import { DropZone, FileTrigger } from 'react-aria-components'
import { useFormats } from '../texts/texts.tsx'
import { Button } from './button.tsx'
import fieldClasses from './field.module.css'
import { TextField } from './field.tsx'
import classes from './image-field.module.css'

interface ImageFieldProps {
  label: string
  hint: string
  texts: { address: string; choose: string; uploading: string; remove: string }
  /** Message of the server about the file or the address. */
  error?: string
  /** Media types of the files that can be chosen. */
  types: readonly string[]
  isUploading: boolean
  value: string
  onChange(url: string): void
  onFile(file: File): void
}

export const ImageField = (props: ImageFieldProps) => {
  const { label, hint, texts, error, isUploading, value, onChange } = props
  const { labelled } = useFormats()
  const [labelId, hintId] = [useId(), useId()]
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a grid in every browser
    <div className={fieldClasses.field} role="group" aria-labelledby={labelId}>
      <span id={labelId} className={fieldClasses.label}>
        {label}
      </span>
      <span id={hintId} className={fieldClasses.hint}>
        {hint}
      </span>
      <FileZone {...props} labelledBy={`${labelId} ${hintId}`} />
      <TextField
        aria-label={labelled(texts.address, label)}
        label=""
        error={error}
        value={value}
        onChange={onChange}
        placeholder="https://"
        type="url"
        dir="ltr"
        maxLength={2048}
        spellCheck="false"
      />
      <span className="visually-hidden" role="status">
        {isUploading && texts.uploading}
      </span>
    </div>
  )
}

/** File that is chosen or dropped, next to the present image. */
const FileZone = (props: ImageFieldProps & { labelledBy: string }) => {
  const { label, texts, types, isUploading, value, onChange, onFile, labelledBy } = props
  const { labelled } = useFormats()
  const chooseFirst = (files: FileList | null) => {
    const file = files?.[0]
    if (file !== undefined) onFile(file)
  }
  return (
    <DropZone
      className={classes.zone}
      aria-labelledby={labelledBy}
      getDropOperation={(dragged) => (types.some((type) => dragged.has(type)) ? 'copy' : 'cancel')}
      onDrop={async ({ items }) => {
        const item = items.find((one) => one.kind === 'file')
        if (item?.kind === 'file') onFile(await item.getFile())
      }}
    >
      {isImageAddress(value) && <img className={classes.image} src={value} alt="" />}
      <FileTrigger acceptedFileTypes={types} onSelect={chooseFirst}>
        <Button isDisabled={isUploading} aria-label={labelled(texts.choose, label)}>
          {isUploading ? texts.uploading : texts.choose}
        </Button>
      </FileTrigger>
      {value !== '' && (
        <Button
          emphasis="quiet"
          onPress={() => onChange('')}
          aria-label={labelled(texts.remove, label)}
        >
          {texts.remove}
        </Button>
      )}
    </DropZone>
  )
}

/** Whether the policy of the dashboard lets the browser load the image. */
export const isImageAddress = (url: string): boolean => {
  if (!URL.canParse(url)) return false
  const { protocol, origin } = new URL(url)
  return protocol === 'https:' || origin === location.origin
}
