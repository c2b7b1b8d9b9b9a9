/** Form that posts an update of an incident. */
import type { IncidentStatus } from '@status-page/contracts'
import { type ComponentProps, useId } from 'react'
import { Form } from 'react-aria-components'
import { incidentStatuses } from '../api/contract.ts'
import { isVersionMismatch } from '../api/versions.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { Checkbox } from '../kit/checkbox.tsx'
import { MessageEditor } from '../kit/message-editor.tsx'
import { Note } from '../kit/note.tsx'
import { Select } from '../kit/select.tsx'
import { fill } from '../texts/plural.ts'
import { useTexts } from '../texts/texts.tsx'
import { ComponentStatusFields } from './component-status-fields.tsx'
import classes from './incidents.module.css'
import { NextUpdateField } from './next-update-field.tsx'
import type { IncidentDetail } from './queries.ts'
import { UnsentActions } from './unsent-actions.tsx'
import { UpdateConflict } from './update-conflict.tsx'
import type { UpdateForm } from './update-form.ts'
import { isPostable, notifiesSubscribers } from './update-input.ts'

const FIELDS_ID = 'update-fields'

/** Focuses the message of the form. */
export const focusMessage = (): void =>
  document.getElementById(FIELDS_ID)?.querySelector('textarea')?.focus()

const fields = ['message', 'status', 'nextUpdateAt'] as const

interface UpdateCardProps {
  incident: IncidentDetail
  form: UpdateForm
}

export const UpdateCard = ({ incident, form }: UpdateCardProps) => {
  const { incident: texts } = useTexts()
  const errors = useFieldErrors(form.error)
  const hasConflict = form.conflicts.length > 0
  const send: ComponentProps<typeof Form>['onSubmit'] = (event) => {
    event.preventDefault()
    if (!hasConflict && isPostable(form.input) && !form.isPosting) form.post()
  }
  return (
    <Card title={texts.form.title}>
      <Form className={classes.form} onSubmit={send}>
        {hasConflict && <UpdateConflict changes={form.conflicts} onContinue={form.accept} />}
        <div id={FIELDS_ID} className={classes.fields} inert={form.isPosting}>
          <UpdateFields incident={incident} form={form} errors={errors} />
        </div>
        <PostActions incident={incident} form={form} />
        {!(hasConflict && isVersionMismatch(form.error)) && (
          <ProblemNote error={form.error} fieldErrors={errors} fields={fields} />
        )}
      </Form>
    </Card>
  )
}

interface UpdateFieldsProps extends UpdateCardProps {
  errors: Readonly<Record<string, string>>
}

const UpdateFields = ({ incident, form, errors }: UpdateFieldsProps) => {
  const { incident: texts } = useTexts()
  const { input, set } = form
  return (
    <>
      <StatusField incident={incident} form={form} />
      <MessageEditor
        label={texts.form.message}
        error={errors.message}
        value={input.message}
        onChange={(message) => set({ message })}
        rows={5}
      />
      <ComponentStatusFields
        incident={incident}
        statuses={input.componentStatuses}
        onChange={(componentStatuses) => set({ componentStatuses })}
      />
      {(input.status ?? incident.status) !== 'resolved' && (
        <NextUpdateField
          value={input.nextUpdate}
          error={errors.nextUpdateAt}
          onChange={(nextUpdate) => set({ nextUpdate })}
        />
      )}
      <Checkbox
        label={texts.form.notify}
        hint={texts.form.notifyHint}
        isSelected={notifiesSubscribers(input, incident)}
        onChange={(notifySubscribers) => set({ notifySubscribers })}
      />
    </>
  )
}

const UNCHANGED = 'unchanged'

const StatusField = ({ incident, form }: UpdateCardProps) => {
  const { incident: texts, incidents: names } = useTexts()
  const unchanged = fill(texts.form.unchanged, { status: names[incident.status] })
  const options = incidentStatuses.map((value) => ({ value, label: names[value] }))
  return (
    <Select<IncidentStatus | typeof UNCHANGED>
      label={texts.status}
      options={[{ value: UNCHANGED, label: unchanged }, ...options]}
      value={form.input.status ?? UNCHANGED}
      onChange={(status) => form.set({ status: status === UNCHANGED ? null : status })}
    />
  )
}

const PostActions = ({ incident, form }: UpdateCardProps) => {
  const texts = useTexts().incident.form
  const stored = useId()
  if (form.isUnanswered) {
    return (
      <Note state="part">
        <p>{texts.unanswered}</p>
        <p>
          <Button onPress={form.stop}>{texts.stop}</Button>
        </p>
      </Note>
    )
  }
  const isBlocked = form.conflicts.length > 0 || !isPostable(form.input)
  return (
    <div className={classes.actions}>
      <Button
        type="submit"
        emphasis="primary"
        isDisabled={isBlocked || form.isPosting}
        aria-describedby={form.isDirty ? stored : undefined}
      >
        {form.isPosting ? texts.posting : texts[postTextOf(incident.status, form.input.status)]}
      </Button>
      {form.isDirty && !form.isPosting && (
        <UnsentActions noticeId={stored} onDiscard={form.discard} />
      )}
    </div>
  )
}

const postTextOf = (present: IncidentStatus, next: IncidentStatus | null) => {
  if (next === null || (next === 'resolved') === (present === 'resolved')) return 'post'
  return next === 'resolved' ? 'postResolve' : 'postReopen'
}
