/** Dialog that changes the scope of a subscriber, and the URL of a webhook. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Form } from 'react-aria-components'
import { api } from '../api/client.ts'
import { rootFieldOf } from '../api/field-errors.ts'
import { useCheckedWrite } from '../app/checked-write.ts'
import { useMergedForm } from '../app/merged-form.ts'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { useComponentOptions } from '../components/component-options.ts'
import { DialogActions } from '../incidents/dialog-actions.tsx'
import { FieldConflicts } from '../incidents/field-conflicts.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { TextField } from '../kit/field.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import type { SubscriberData } from './filters.ts'
import { subscriberQuery } from './queries.ts'
import { ScopeFields, type SubscriberScope } from './subscriber-fields.tsx'
import classes from './subscribers.module.css'

interface SubscriberFields extends SubscriberScope {
  /** Empty for other types. */
  webhookUrl: string
}

const shownFields = ['webhookUrl', 'componentIds', 'events']

const fieldsOf = ({ componentIds, events, webhookUrl }: SubscriberData): SubscriberFields => ({
  componentIds,
  events,
  webhookUrl: webhookUrl ?? '',
})

interface EditSubscriberDialogProps {
  subscriber: SubscriberData
  onClose(): void
}

export const EditSubscriberDialog = ({ subscriber, onClose }: EditSubscriberDialogProps) => {
  const { subscribers: texts } = useTexts()
  const { id, type } = subscriber
  const { data = subscriber } = useQuery({ ...subscriberQuery(id), initialData: subscriber })
  const form = useMergedForm(`subscriber.${id}`, fieldsOf(data))
  const save = useSave(id, form, onClose)
  const errors = useFieldErrors(save.error)
  const shown = Object.keys(errors).filter((field) => shownFields.includes(rootFieldOf(field)))
  const { labels, textOf } = useFieldTexts()
  return (
    <Dialog title={texts.editTitle} isOpen size="large" onClose={onClose}>
      <Form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <p>
          <bdi>{data.email ?? data.phone ?? data.webhookUrl}</bdi>
        </p>
        <FieldConflicts form={form} labelOf={(field) => labels[field]} textOf={textOf} />
        {type === 'webhook' && (
          <TextField
            label={texts.webhookUrl}
            error={errors.webhookUrl}
            value={form.values.webhookUrl}
            onChange={(webhookUrl) => form.set({ webhookUrl })}
            inputMode="url"
            maxLength={2048}
            spellCheck="false"
            isRequired
          />
        )}
        <ScopeFields scope={form.values} errors={errors} onChange={form.set} />
        <DialogActions form={form} save={save} fields={shown} onClose={onClose} />
      </Form>
    </Dialog>
  )
}

const useSave = (
  id: string,
  form: ReturnType<typeof useMergedForm<SubscriberFields>>,
  onClose: () => void,
) => {
  const queryClient = useQueryClient()
  return useCheckedWrite({
    form,
    read: async () =>
      fieldsOf(await queryClient.fetchQuery({ ...subscriberQuery(id), staleTime: 0 })),
    write: (body) => api.PATCH('/api/v1/subscribers/{id}', { params: { path: { id } }, body }),
    onSaved: () => {
      onClose()
      return queryClient.invalidateQueries({ queryKey: ['subscribers'] })
    },
  })
}

const useFieldTexts = () => {
  const { subscribers: texts, deliveries } = useTexts()
  const { facts } = useFormats()
  const components = useComponentOptions()
  const nameOf = (id: string) => components.find(({ value }) => value === id)?.label ?? id
  const labels: Record<keyof SubscriberFields, string> = {
    webhookUrl: texts.webhookUrl,
    componentIds: texts.components,
    events: texts.events,
  }
  const textOf = (field: keyof SubscriberFields, value: string | string[]): string => {
    if (!Array.isArray(value)) return value
    const names = value.map((one) =>
      field === 'events' ? deliveries.events[one as SubscriberData['events'][number]] : nameOf(one),
    )
    return facts(names)
  }
  return { labels, textOf }
}
