/**
 * Composer of incidents for the whole application: its outbox, the dialog and the notices about
 * publications. Users without the right to create incidents have none of them.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ComponentType, type ReactNode, useEffect, useMemo, useState } from 'react'
import { api } from '../api/client.ts'
import { meQuery } from '../api/queries.ts'
import { useShortcuts } from '../kit/shortcuts.ts'
import { useSession } from '../session/session.tsx'
import { followLogins, markSessionEnded } from '../session/session-end.ts'
import { type Composer, ComposerContext } from './composer-context.ts'
import { newDraft } from './draft.ts'
import { Outbox } from './outbox.ts'
import { PublishNotices } from './publish-notices.tsx'
import { componentNamesQuery } from './queries.ts'
import { claim } from './tab-claims.ts'
import { createUnsentStorage } from './unsent-storage.ts'

export const ComposerProvider = ({ children }: { children: ReactNode }) => {
  const { user, organization, can } = useSession()
  if (!can('INCIDENTS_CREATE')) return children
  return (
    <OwnComposer key={`${organization.id}.${user.id}`} {...{ organization, user }}>
      {children}
    </OwnComposer>
  )
}

interface OwnComposerProps {
  organization: { id: string }
  user: { id: string }
  children: ReactNode
}

const OwnComposer = ({ organization, user, children }: OwnComposerProps) => {
  const outbox = useOutbox(organization.id, user.id)
  const [isOpen, setOpen] = useState(false)
  const Dialog = useComposerDialog(isOpen)
  useEarlyText(isOpen && Dialog === null, outbox)
  const { can } = useSession()
  // Loaded ahead, so that the composer works when the network fails during the outage.
  useQuery({ ...componentNamesQuery, enabled: can('COMPONENTS_VIEW') })
  const composer = useMemo(
    () => ({ outbox, isOpen, open: () => setOpen(true), close: () => setOpen(false) }),
    [outbox, isOpen],
  )
  useShortcuts(useMemo(() => [{ key: 'c', onPress: composer.open }], [composer]))
  return (
    <ComposerContext value={composer}>
      {children}
      <PublishNotices composer={composer} />
      {Dialog !== null && <Dialog composer={composer} />}
    </ComposerContext>
  )
}

const useOutbox = (organizationId: string, userId: string): Outbox => {
  const queryClient = useQueryClient()
  const [outbox] = useState(
    () =>
      new Outbox({
        storage: createUnsentStorage(organizationId, userId),
        claim,
        async isSameSession() {
          // An offline browser fails at once instead of waiting for a network.
          const options = { staleTime: 0, retry: false, networkMode: 'always' } as const
          const me = await queryClient.fetchQuery({ ...meQuery, ...options })
          return me.user?.id === userId && me.organization.id === organizationId
        },
        async send(body, idempotencyKey) {
          const header = { 'Idempotency-Key': idempotencyKey }
          return (await api.POST('/api/v1/incidents', { params: { header }, body })).data
        },
        onPublished: () => void queryClient.invalidateQueries(),
        onSessionEnd: markSessionEnded,
      }),
  )
  useEffect(() => {
    const retry = () => outbox.retryNow()
    const stop = outbox.start()
    const stopLogins = followLogins(retry)
    addEventListener('online', retry)
    return () => {
      stop()
      stopLogins()
      removeEventListener('online', retry)
    }
  }, [outbox])
  return outbox
}

type DialogComponent = ComponentType<{ composer: Composer }>

/** Loads the dialog ahead; when that has failed, again as soon as it is opened. */
const useComposerDialog = (isOpen: boolean): DialogComponent | null => {
  const [Dialog, setDialog] = useState<DialogComponent | null>(null)
  useEffect(() => {
    if (Dialog !== null) return
    import('./composer-dialog.tsx').then(
      (module) => setDialog(() => module.ComposerDialog),
      () => undefined,
    )
  }, [Dialog, isOpen])
  return Dialog
}

/** Stores what is typed while the dialog loads, so that its line begins with it. */
const useEarlyText = (isLoading: boolean, outbox: Outbox) => {
  useEffect(() => {
    if (!isLoading) return
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey } = event
      if (key.length !== 1 || ctrlKey || metaKey || altKey) return
      event.preventDefault()
      event.stopPropagation()
      const draft = outbox.state().current ?? newDraft(Date.now())
      outbox.save({ ...draft, line: draft.line + key })
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [isLoading, outbox])
}
