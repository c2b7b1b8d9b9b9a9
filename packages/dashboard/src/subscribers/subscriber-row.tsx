/** Subscriber in the list, with the actions that the role permits. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { statusPagesQuery } from '../api/queries.ts'
import { ConfirmDialog } from '../app/confirm-dialog.tsx'
import { ProblemNote } from '../app/problem-note.tsx'
import { ActionMenu, type MenuAction } from '../kit/action-menu.tsx'
import type { State } from '../kit/icon.tsx'
import { ListRow } from '../kit/list-row.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { EditSubscriberDialog } from './edit-subscriber-dialog.tsx'
import type { SubscriberData } from './filters.ts'
import { SecretDialog } from './secret-dialog.tsx'

const statusStates: Record<SubscriberData['status'], State> = {
  active: 'ok',
  unconfirmed: 'work',
  unsubscribed: 'none',
  quarantined: 'down',
}

export const addressOf = ({ email, phone, webhookUrl }: SubscriberData): string =>
  email ?? phone ?? webhookUrl ?? ''

export const SubscriberRow = ({ subscriber }: { subscriber: SubscriberData }) => (
  <ListRow
    state={statusStates[subscriber.status]}
    title={addressOf(subscriber)}
    facts={useFacts(subscriber)}
    actions={<RowActions subscriber={subscriber} />}
  />
)

const useFacts = (subscriber: SubscriberData): (string | null)[] => {
  const { subscribers: texts } = useTexts()
  const { fill, labelled, plural, time } = useFormats()
  const { can } = useSession()
  const { data } = useQuery({ ...statusPagesQuery, enabled: can('STATUS_PAGES_VIEW') })
  const { status, statusReason, componentIds, events, lastNotifiedAt } = subscriber
  const page = data?.data.find(({ id }) => id === subscriber.statusPageId)
  return [
    texts.types[subscriber.type],
    statusReason === null
      ? texts.statuses[status]
      : labelled(texts.statuses[status], texts.reasons[statusReason]),
    subscriber.incidentId === null ? null : texts.oneIncident,
    componentIds.length === 0 ? texts.everything : plural(texts.scope, componentIds.length),
    events.length === 0 ? null : plural(texts.eventCount, events.length),
    page === undefined ? null : `\u2068${page.name}\u2069`,
    texts.sources[subscriber.source],
    fill(texts.since, { time: time(subscriber.createdAt) }),
    lastNotifiedAt && fill(texts.notified, { time: time(lastNotifiedAt) }),
  ]
}

type RowDialog = 'edit' | 'secret' | 'delete'

const RowActions = ({ subscriber }: { subscriber: SubscriberData }) => {
  const { subscribers: texts } = useTexts()
  const { fill } = useFormats()
  const [dialog, setDialog] = useState<RowDialog | null>(null)
  const close = () => setDialog(null)
  const { reactivate, remove } = useWrites(subscriber.id, close)
  const actions = useMenuActions(subscriber, setDialog, () => reactivate.mutate())
  return (
    <>
      {actions.length > 0 && (
        <ActionMenu
          label={fill(texts.actions, { name: addressOf(subscriber) })}
          isCompact
          actions={actions}
          isPending={reactivate.isPending}
        />
      )}
      <ProblemNote error={reactivate.error} />
      {dialog === 'edit' && <EditSubscriberDialog subscriber={subscriber} onClose={close} />}
      {dialog === 'secret' && <SecretDialog subscriber={subscriber} onClose={close} />}
      {dialog === 'delete' && (
        <ConfirmDialog
          title={texts.deleteTitle}
          confirm={texts.delete}
          action={remove}
          onClose={close}
        >
          <p>
            <bdi>{addressOf(subscriber)}</bdi>
          </p>
          <p>{texts.deleteHint}</p>
        </ConfirmDialog>
      )}
    </>
  )
}

const useMenuActions = (
  { id, type, status, statusReason }: SubscriberData,
  open: (dialog: RowDialog) => void,
  onReactivate: () => void,
): MenuAction[] => {
  const { subscribers: texts } = useTexts()
  const { can } = useSession()
  const navigate = useNavigate()
  const canUpdate = can('SUBSCRIBERS_UPDATE')
  // The service refuses to activate an address whose owner has reported a message as spam.
  const canReactivate = canUpdate && status === 'quarantined' && statusReason !== 'complaint'
  const show = () => void navigate({ to: '/deliveries', search: { subscriber: id } })
  return [
    canUpdate && { id: 'edit', label: texts.edit, onAction: () => open('edit') },
    canReactivate && { id: 'reactivate', label: texts.reactivate, onAction: onReactivate },
    canUpdate &&
      type === 'webhook' && {
        id: 'secret',
        label: texts.secret.rotate,
        onAction: () => open('secret'),
      },
    can('NOTIFICATIONS_VIEW') && { id: 'deliveries', label: texts.deliveries, onAction: show },
    can('SUBSCRIBERS_DELETE') && {
      id: 'delete',
      label: `${texts.delete} …`,
      onAction: () => open('delete'),
    },
  ].filter((action) => action !== false)
}

const useWrites = (id: string, onRemoved: () => void) => {
  const queryClient = useQueryClient()
  const params = { path: { id } }
  const onSettled = () => queryClient.invalidateQueries({ queryKey: ['subscribers'] })
  const reactivate = useMutation({
    mutationFn: () => api.PATCH('/api/v1/subscribers/{id}', { params, body: { status: 'active' } }),
    onSettled,
  })
  const remove = useMutation({
    mutationFn: () => api.DELETE('/api/v1/subscribers/{id}', { params }),
    onSuccess: onRemoved,
    onSettled,
  })
  return { reactivate, remove }
}
