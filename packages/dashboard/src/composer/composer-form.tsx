/** Form of the composer: one line, what it means, and the message. */
import type { NewIncident } from '@status-page/contracts'
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { FieldErrors } from '../api/field-errors.ts'
import { problemText } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { Button } from '../kit/button.tsx'
import { DialogFooter } from '../kit/dialog.tsx'
import { TextField } from '../kit/field.tsx'
import { MessageEditor } from '../kit/message-editor.tsx'
import { Note } from '../kit/note.tsx'
import { useAfterPaint } from '../kit/use-after-paint.ts'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { Audience } from './audience.tsx'
import { AmbiguousNames, ComponentChoices } from './component-choices.tsx'
import {
  type ComposedIncident,
  composeIncident,
  incidentBodyOf,
  withTemplate,
} from './composed-incident.ts'
import classes from './composer.module.css'
import { ConflictNote } from './conflict-note.tsx'
import type { ComposerDraft } from './draft.ts'
import type { DraftProps } from './draft-props.ts'
import { IncidentDetails } from './incident-details.tsx'
import { OpenIncidents } from './open-incidents.tsx'
import { errorOfRefusal } from './publish-outcome.ts'
import { componentNamesQuery, incidentTemplatesQuery } from './queries.ts'

interface ComposerFormProps {
  draft: ComposerDraft
  startsInMessage: boolean
  onChange(changes: Partial<ComposerDraft>): void
  onPublish(body: NewIncident): void
}

const MAX_TITLE = 255
/** Name of the field in which Enter leads to the message. */
const LINE = 'line'

export const ComposerForm = (formProps: ComposerFormProps) => {
  const { draft, startsInMessage, onChange, onPublish } = formProps
  const incident = useComposedIncident(draft)
  const [isChecked, setChecked] = useState(false)
  const problem = useProblem(incident)
  const form = useRef<HTMLFormElement>(null)
  const errors = useFieldErrors(errorOfRefusal(draft.refusal))
  const publish = () => {
    setChecked(true)
    if (problem === null && incident.missingVariables.length === 0)
      onPublish(incidentBodyOf(draft, incident, Date.now()))
    else requestAnimationFrame(() => focusFirstError(form.current))
  }
  // The field in which the user types first is displayed before the others.
  const [isComplete, setComplete] = useAfterPaint()
  const props = { draft, incident, onChange }
  return (
    <form
      ref={form}
      className={classes.form}
      onSubmit={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        if (isPublishKey(event)) publish()
        else if (isEnter(event) && isLine(event.target)) {
          flushSync(() => setComplete(true))
          focusMessage(event, form.current)
        }
      }}
    >
      <RefusalNote draft={draft} />
      <div className={classes.halves}>
        <div className={classes.half}>
          <Line {...props} error={isChecked ? problem : null} hasFocus={!startsInMessage} />
          {isComplete && <LineMeaning {...props} errors={errors} isChecked={isChecked} />}
          {(isComplete || startsInMessage) && (
            <Message {...props} error={errors.message} hasFocus={startsInMessage} />
          )}
        </div>
        <div className={classes.half}>
          {isComplete && <IncidentDetails {...props} errors={errors} />}
        </div>
      </div>
      <DialogFooter>
        <Audience draft={draft} incident={incident} />
        <PublishButton onPress={publish} />
      </DialogFooter>
    </form>
  )
}

interface LineProps extends DraftProps {
  error: string | null
  hasFocus: boolean
}

const Line = ({ draft, onChange, error, hasFocus }: LineProps) => {
  const { composer: texts } = useTexts()
  return (
    <TextField
      label={texts.line}
      hint={texts.lineHint}
      placeholder={texts.linePlaceholder}
      error={error ?? undefined}
      value={draft.line}
      onChange={(line) => onChange({ line, refusal: null })}
      name={LINE}
      maxLength={MAX_TITLE}
      autoComplete="off"
      autoFocus={hasFocus}
    />
  )
}

interface LineMeaningProps extends DraftProps {
  errors: FieldErrors
  isChecked: boolean
}

/** Parts of the incident that follow from the line. */
const LineMeaning = ({ errors, isChecked, ...props }: LineMeaningProps) => (
  <>
    <AmbiguousNames {...props} />
    <Templates {...props} />
    <ComponentChoices {...props} error={errors.componentStatuses ?? errors.componentIds} />
    <OpenIncidents incident={props.incident} />
    <Variables {...props} isChecked={isChecked} />
  </>
)

interface MessageProps extends DraftProps {
  error?: string
  hasFocus: boolean
}

const Message = ({ draft, incident, onChange, error, hasFocus }: MessageProps) => (
  <MessageEditor
    label={useTexts().composer.message}
    value={draft.message}
    preview={incident.message}
    error={error}
    onChange={(message) => onChange({ message })}
    autoFocus={hasFocus}
  />
)

const PublishButton = ({ onPress }: { onPress(): void }) => {
  const { composer: texts } = useTexts()
  return (
    <Button emphasis="primary" onPress={onPress}>
      {texts.publish} <kbd className={classes.keys}>{texts.publishKeys}</kbd>
    </Button>
  )
}

type KeyLike = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'nativeEvent'>

/** Enter that ends the input of an Asian character is none. */
const isEnter = ({ key, nativeEvent }: KeyLike) => key === 'Enter' && !nativeEvent.isComposing

const isPublishKey = (event: KeyLike) => isEnter(event) && (event.ctrlKey || event.metaKey)

const isLine = (target: EventTarget) => target instanceof HTMLInputElement && target.name === LINE

const useComposedIncident = (draft: ComposerDraft): ComposedIncident => {
  const { components } = useTexts()
  const { labelled } = useFormats()
  const { data } = useQuery(componentNamesQuery)
  return useMemo(
    () =>
      composeIncident(draft, data ?? [], (names, status) => labelled(names, components[status])),
    [draft, data, components, labelled],
  )
}

/** The default action would insert the line break into the message. */
const focusMessage = (event: Pick<KeyboardEvent, 'preventDefault'>, form: Element | null) => {
  event.preventDefault()
  form?.querySelector('textarea')?.focus()
}

const focusFirstError = (form: Element | null) =>
  form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()

/** Problem of the line for which the incident cannot be published yet. */
const useProblem = ({ title, ambiguous }: ComposedIncident): string | null => {
  const { composer: texts } = useTexts()
  const { fill } = useFormats()
  const [choice] = ambiguous
  if (title.trim() === '') return texts.titleMissing
  return choice === undefined ? null : fill(texts.choiceMissing, { text: choice.text })
}

const RefusalNote = ({ draft }: { draft: ComposerDraft }) => {
  const texts = useTexts()
  const { fill } = useFormats()
  const { refusal } = draft
  if (refusal === null) return null
  if (refusal.kind === 'conflict') return <ConflictNote published={refusal.published} />
  const title = draft.title ?? draft.line
  const text = refusal.kind === 'expired' ? texts.composer.expired : texts.composer.refused
  const message = problemText(errorOfRefusal(refusal), texts)
  return (
    <Note state="down" role="alert">
      {fill(text, { title, message })}
    </Note>
  )
}

const Templates = ({ draft, onChange }: DraftProps) => {
  const { composer: texts } = useTexts()
  const { can } = useSession()
  const { data } = useQuery({ ...incidentTemplatesQuery, enabled: can('INCIDENTS_VIEW') })
  if (data === undefined || data.data.length === 0) return null
  return (
    <section className={classes.chips} aria-label={texts.templates}>
      <span className={classes.quiet} aria-hidden="true">
        {texts.templates}
      </span>
      {data.data.map((template) => (
        <Button
          key={template.id}
          emphasis="chip"
          onPress={() => onChange(withTemplate(draft, template))}
        >
          <bdi>{template.name}</bdi>
        </Button>
      ))}
    </section>
  )
}

const Variables = (props: DraftProps & { isChecked: boolean }) => {
  const { draft, incident, onChange, isChecked } = props
  const { composer: texts } = useTexts()
  const { fill } = useFormats()
  const names = [...new Set([...Object.keys(draft.variables), ...incident.missingVariables])]
  if (names.length === 0) return null
  return (
    <div className={classes.columns}>
      {names.map((name) => (
        <TextField
          key={name}
          label={fill(texts.variable, { name })}
          error={
            isChecked && incident.missingVariables.includes(name)
              ? fill(texts.variablesMissing, { names: name })
              : undefined
          }
          value={draft.variables[name] ?? ''}
          onChange={(value) => onChange({ variables: { ...draft.variables, [name]: value } })}
          maxLength={MAX_TITLE}
        />
      ))}
    </div>
  )
}
