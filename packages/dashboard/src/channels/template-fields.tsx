/** Template of the messages of a channel, with an example as the channel sends it. */
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { selectableChannelEvents } from '../api/contract.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { useDelayed } from '../composer/use-delayed.ts'
import { TextAreaField } from '../kit/field.tsx'
import { Note } from '../kit/note.tsx'
import { Select } from '../kit/select.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './channels.module.css'
import { configErrorOf } from './draft.ts'
import type { ChannelFormProps } from './form-props.ts'
import { type PreviewRequest, previewQuery } from './queries.ts'

const PREVIEW_AFTER_MS = 400
const MAX_MESSAGE_TEMPLATE = 4_000

const placeholders = [
  'event_type',
  'incident.id',
  'incident.title',
  'incident.status',
  'timestamp',
  'status',
  'title',
  'impact',
  'components',
  'message',
  'url',
]

export const TemplateFields = ({
  kind,
  values,
  errors,
  isReadOnly,
  onChange,
}: ChannelFormProps) => {
  const { channels: texts } = useTexts()
  const isWebhook = kind === 'webhook'
  return (
    <>
      {isWebhook ? (
        <TextAreaField
          label={texts.fields.bodyTemplate}
          hint={texts.hints.bodyTemplate}
          error={configErrorOf(errors, 'bodyTemplate')}
          value={values.bodyTemplate ?? ''}
          onChange={(bodyTemplate) => onChange({ bodyTemplate })}
          rows={8}
          isReadOnly={isReadOnly}
          spellCheck="false"
        />
      ) : (
        <TextAreaField
          label={texts.messageTemplate}
          hint={texts.messageTemplateHint}
          error={errors.messageTemplate}
          value={values.messageTemplate}
          onChange={(messageTemplate) => onChange({ messageTemplate })}
          rows={5}
          maxLength={MAX_MESSAGE_TEMPLATE}
          isReadOnly={isReadOnly}
        />
      )}
      <p className={classes.quiet}>
        {texts.placeholders}{' '}
        {placeholders.map((name) => (
          <span key={name}>
            <code>{`{{${name}}}`}</code>{' '}
          </span>
        ))}
      </p>
      <Preview
        type={kind}
        messageTemplate={isWebhook ? null : values.messageTemplate || null}
        bodyTemplate={isWebhook ? values.bodyTemplate || null : null}
      />
    </>
  )
}

const Preview = (template: Omit<PreviewRequest, 'event'>) => {
  const { channels: texts, deliveries } = useTexts()
  const [event, setEvent] = useState<PreviewRequest['event']>('incident.created')
  // Compared as text, because each change of the form makes another object.
  const delayed = useDelayed(JSON.stringify({ ...template, event }), PREVIEW_AFTER_MS)
  const { data, error } = useQuery(previewQuery(JSON.parse(delayed) as PreviewRequest))
  const errors = useFieldErrors(error)
  return (
    <>
      <Select
        label={texts.previewEvent}
        options={selectableChannelEvents.map((value) => ({
          value,
          label: deliveries.events[value],
        }))}
        value={event}
        onChange={(chosen) => setEvent(chosen)}
      />
      <ProblemNote error={error} fieldErrors={errors} />
      {error === null && data !== undefined && <PreviewText preview={data} />}
    </>
  )
}

interface PreviewTextProps {
  preview: { contentType: string; subject: string | null; body: string; warnings: string[] }
}

const PreviewText = ({ preview }: PreviewTextProps) => {
  const { channels: texts } = useTexts()
  const { facts, fill } = useFormats()
  const id = useId()
  const { contentType, subject, body, warnings } = preview
  return (
    <section className={classes.preview} aria-labelledby={id}>
      <p id={id} className={classes.caption}>
        {texts.preview}
      </p>
      {subject !== null && (
        <p className={classes.subject}>
          {fill(texts.subject, { subject: `\u2068${subject}\u2069` })}
        </p>
      )}
      <pre className={classes.body} dir="auto">
        {contentType.includes('json') ? indented(body) : body}
      </pre>
      {warnings.length > 0 && (
        <Note state="part">
          {texts.warnings} <code>{facts(warnings)}</code>
        </Note>
      )}
    </section>
  )
}

/** Body of a webhook with line breaks; a template need not produce JSON. */
const indented = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
