/**
 * Composer of incidents for the whole application: its outbox, the dialog and the notices about
 * publications. Users without the right to create incidents have none of them.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { api } from '../api/client.ts'
import { meQuery } from '../api/queries.ts'
import { useShortcuts } from '../kit/shortcuts.ts'
import { lazyComponent, useLoaded } from '../modules/lazy-component.ts'
import { ModuleDialog } from '../modules/module-problem.tsx'
import { useSession } from '../session/session.tsx'
import { followLogins, markSessionEnded } from '../session/session-end.ts'
import { useTexts } from '../texts/texts.tsx'
import { type Composer, ComposerContext, useComposer } from './composer-context.ts'
import { newDraft } from './draft.ts'
import { Outbox } from './outbox.ts'
import { componentNamesQuery } from './queries.ts'
import { claim } from './tab-claims.ts'
import { createUnsentStorage } from './unsent-storage.ts'

export const ComposerProvider = ({ children }: { children: ReactNode }) => {
  const { user, organization, can } = useSession()
  if (!can('INCIDENTS_CREATE')) return children
  return (
    <OwnComposer key={`${organization.id}.${user.id}`} organization={organization} user={user}>
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
  const { can } = useSession()
  // Loaded ahead, so that the composer works when the network fails during the outage.
  useQuery({ ...componentNamesQuery, enabled: can('COMPONENTS_VIEW') })
  const composer = useMemo(
    () => ({ outbox, isOpen, open: () => setOpen(true), close: () => setOpen(false) }),
    [outbox, isOpen],
  )
  useShortcuts(useMemo(() => [{ key: 'c', onPress: composer.open }], [composer]))
  return <ComposerContext value={composer}>{children}</ComposerContext>
}

/** Dialog and notices of the composer, once they are loaded. */
export const ComposerParts = () => {
  const composer = useComposer()
  return composer !== null && <OwnParts composer={composer} />
}

const OwnParts = ({ composer }: { composer: Composer }) => {
  const { outbox, isOpen, close } = composer
  const { Component, error, retry } = useLoaded(lazyViews, {
    isNeeded: isOpen,
    isLoadedAhead: true,
  })
  const isLoading = Component === null && error === null
  const isInMessage = useEarlyText({ isOpen, isLoading }, outbox)
  const { composer: texts } = useTexts()
  return (
    <>
      {Component !== null && <Component composer={composer} startsInMessage={isInMessage} />}
      {error !== null && <ModuleDialog title={texts.newIncident} onRetry={retry} onClose={close} />}
    </>
  )
}

const useOutbox = (organizationId: string, userId: string): Outbox => {
  const queryClient = useQueryClient()
  const [outbox] = useState(
    () =>
      new Outbox({
        storage: createUnsentStorage({ organizationId, userId }),
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

const lazyViews = lazyComponent(async () => (await import('./composer-views.tsx')).ComposerViews)

/**
 * Stores what is typed while the dialog loads, so that its fields begin with it: Enter ends the
 * line, and what follows is the message.
 */
const useEarlyText = (
  { isOpen, isLoading }: { isOpen: boolean; isLoading: boolean },
  outbox: Outbox,
): boolean => {
  const [isInMessage, setInMessage] = useState(false)
  useEffect(() => {
    if (!isOpen) return setInMessage(false)
    if (!isLoading) return
    let field: 'line' | 'message' = 'line'
    // What was typed since the composer was opened: Backspace deletes no text of an older draft.
    let typed = ''
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey } = event
      const isText = key.length === 1 || key === 'Enter' || key === 'Backspace'
      if (!isText || ctrlKey || metaKey || altKey) return
      event.preventDefault()
      event.stopPropagation()
      if (key === 'Enter' && field === 'line') {
        field = 'message'
        typed = ''
        return setInMessage(true)
      }
      const draft = outbox.state().current ?? newDraft(Date.now())
      const older = draft[field].slice(0, draft[field].length - typed.length)
      typed = withKey(typed, key)
      outbox.save({ ...draft, [field]: older + typed })
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [isOpen, isLoading, outbox])
  return isInMessage
}

const withKey = (text: string, key: string): string => {
  if (key === 'Backspace') return [...text].slice(0, -1).join('')
  return text + (key === 'Enter' ? '\n' : key)
}
