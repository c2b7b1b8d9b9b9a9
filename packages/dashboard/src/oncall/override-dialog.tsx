/** Dialog that creates or changes an override: member, start and end. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { FormDialog } from '../app/form-dialog.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { DateTimeField } from '../kit/date-time-field.tsx'
import { LazyComboBox } from '../kit/lazy-combo-box.tsx'
import { browserZone } from '../kit/zoned-time.ts'
import { useTexts } from '../texts/texts.tsx'
import { useMemberNames } from './names.ts'
import { type Schedule, schedulesKey } from './queries.ts'
import { PeriodTimes } from './zoned-formats.tsx'

export interface OverrideDraft {
  /** Null for a new override. */
  id: string | null
  userId: string | null
  startsAt: string | null
  endsAt: string | null
}

interface OverrideDialogProps {
  schedule: Schedule
  draft: OverrideDraft
  onClose(): void
}

const fields = ['userId', 'startsAt', 'endsAt']

export const OverrideDialog = ({ schedule, draft, onClose }: OverrideDialogProps) => {
  const { onCall: texts } = useTexts()
  const [values, setValues] = useState(draft)
  const save = useSaveOverride(schedule, onClose)
  const errors = useFieldErrors(save.error, { labels: { startsAt: texts.start } })
  const { userId, startsAt, endsAt } = values
  const body = userId && startsAt && endsAt ? { userId, startsAt, endsAt } : null
  return (
    <FormDialog
      title={draft.id === null ? texts.addOverride : texts.editOverride}
      submit={texts.save}
      isIncomplete={body === null}
      action={{ ...save, mutate: () => body && save.mutate({ id: draft.id, body }) }}
      fieldErrors={errors}
      fields={fields}
      onClose={onClose}
    >
      <OverrideFields values={values} errors={errors} onChange={setValues} />
      {body !== null && schedule.timezone !== browserZone() && (
        <PeriodTimes since={body.startsAt} until={body.endsAt} zone={schedule.timezone} />
      )}
    </FormDialog>
  )
}

interface OverrideFieldsProps {
  values: OverrideDraft
  errors: Readonly<Record<string, string>>
  onChange(values: OverrideDraft): void
}

const OverrideFields = ({ values, errors, onChange }: OverrideFieldsProps) => {
  const { onCall: texts } = useTexts()
  const { options } = useMemberNames()
  return (
    <>
      <LazyComboBox
        // The options are read after the dialog has opened, and the text is that of an option.
        key={options.length}
        label={texts.member}
        options={options}
        value={values.userId ?? ''}
        error={errors.userId}
        onChange={(userId) => onChange({ ...values, userId })}
      />
      <DateTimeField
        label={texts.start}
        error={errors.startsAt}
        value={values.startsAt}
        onChange={(startsAt) => onChange({ ...values, startsAt })}
        isRequired
      />
      <DateTimeField
        label={texts.end}
        error={errors.endsAt}
        value={values.endsAt}
        onChange={(endsAt) => onChange({ ...values, endsAt })}
        isRequired
      />
    </>
  )
}

interface OverrideWrite {
  id: string | null
  body: { userId: string; startsAt: string; endsAt: string }
}

const useSaveOverride = ({ id }: Schedule, onSaved: () => void) => {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: async ({ id: overrideId, body }: OverrideWrite) =>
      overrideId === null
        ? api.POST('/api/v1/oncall/schedules/{id}/overrides', { params: { path: { id } }, body })
        : api.PATCH('/api/v1/oncall/schedules/{id}/overrides/{overrideId}', {
            params: { path: { id, overrideId } },
            body,
          }),
    onSuccess: () => {
      onSaved()
      return queryClient.invalidateQueries({ queryKey: schedulesKey })
    },
  })
}
