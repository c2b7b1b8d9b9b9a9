/** Message of an incident: text in Markdown, with a preview as on the public page. */
import { type FocusEvent, useDeferredValue, useId, useRef } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { TextAreaField } from './field.tsx'
import classes from './message-editor.module.css'
import { MessageView } from './message-view.tsx'

interface MessageEditorProps {
  label: string
  /** Default: the marks that a message may contain. */
  hint?: string
  /** Message of the server; the field counts as invalid. */
  error?: string
  value: string
  /** Text of the preview, if it is another one. */
  preview?: string
  onChange(value: string): void
  rows?: number
  maxLength?: number
  autoFocus?: boolean
}

const MAX_MESSAGE = 25_000

export const MessageEditor = (props: MessageEditorProps) => {
  const { value, preview = value, onChange, hint, ...field } = props
  const { editor } = useTexts()
  const id = useId()
  const shown = useDeferredValue(preview)
  const isFirstFocus = useRef(true)
  /** Browsers place the cursor of a focused text area before its text. */
  const moveCursor = ({ target }: FocusEvent<HTMLInputElement | HTMLTextAreaElement>) => {
    const { length } = target.value
    if (field.autoFocus === true && isFirstFocus.current) target.setSelectionRange(length, length)
    isFirstFocus.current = false
  }
  return (
    <div className={classes.editor}>
      <TextAreaField
        maxLength={MAX_MESSAGE}
        {...field}
        hint={hint ?? <MarkdownHint />}
        value={value}
        onChange={onChange}
        onFocus={moveCursor}
      />
      {shown.trim() !== '' && (
        <section className={classes.preview} aria-labelledby={id}>
          <p id={id} className={classes.caption}>
            {editor.preview}
          </p>
          <MessageView text={shown} />
        </section>
      )}
    </div>
  )
}

/** Marks of Markdown, each in the style that it produces. */
const MarkdownHint = () => {
  const { marks } = useTexts().editor
  return (
    <span className={classes.marks}>
      <span>Markdown</span>
      <bdi>
        <strong>**{marks.bold}**</strong>
      </bdi>
      <bdi>
        <em>*{marks.italic}*</em>
      </bdi>
      <bdi>
        <code>`{marks.code}`</code>
      </bdi>
      <span>{marks.others}</span>
    </span>
  )
}
