/** State of the form for updates: unsent input, changes of others, and the post. */
import { ApiError } from '@status-page/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { api } from '../api/client.ts'
import { overviewQuery } from '../api/queries.ts'
import { ifMatch, isVersionMismatch } from '../api/versions.ts'
import { useUnsent } from '../app/unsent.ts'
import { changesSince, type IncidentChange, snapshotOf } from './incident-changes.ts'
import { type IncidentDetail, incidentQuery } from './queries.ts'
import { isUnanswered, newIdempotencyKey, sendUntilAnswered } from './send.ts'
import { attemptFor, emptyInput, type UnsentUpdate, type UpdateInput } from './update-input.ts'

export interface UpdateForm {
  input: UpdateInput
  set(patch: Partial<UpdateInput>): void
  isDirty: boolean
  discard(): void
  /** Changes of others since the start of the input; the user accepts them before the post. */
  conflicts: IncidentChange[]
  accept(): void
  post(): void
  isPosting: boolean
  /** The service does not respond, and the update is sent again. */
  isUnanswered: boolean
  stop(): void
  error: unknown
}

export const useUpdateForm = (incident: IncidentDetail): UpdateForm => {
  const [unsent, store] = useUnsent<UnsentUpdate>(`incident-update.${incident.id}`)
  const input = { ...emptyInput, ...unsent?.input }
  const changes = unsent === null ? [] : changesSince(unsent.snapshot, incident)
  // A change of another part of the incident does not concern the update.
  const snapshot = unsent === null || changes.length === 0 ? snapshotOf(incident) : unsent.snapshot
  const { post, isWaiting, stop } = usePost(incident, { input, snapshot, unsent, store })
  return {
    input,
    set(patch) {
      const next = { ...input, ...patch }
      const isEmpty = JSON.stringify(next) === JSON.stringify(emptyInput)
      store(isEmpty ? null : { input: next, snapshot, attempt: unsent?.attempt ?? null })
      if (post.error !== null) post.reset()
    },
    isDirty: unsent !== null,
    discard() {
      store(null)
      post.reset()
    },
    conflicts: post.isPending ? [] : changes,
    accept() {
      if (unsent !== null) store({ ...unsent, snapshot: snapshotOf(incident) })
      post.reset()
    },
    post: () => post.mutate(),
    isPosting: post.isPending,
    isUnanswered: isWaiting,
    stop,
    error: post.error,
  }
}

interface PostState extends Pick<UnsentUpdate, 'input' | 'snapshot'> {
  unsent: UnsentUpdate | null
  store(unsent: UnsentUpdate | null): void
}

const usePost = (incident: IncidentDetail, { input, snapshot, unsent, store }: PostState) => {
  const queryClient = useQueryClient()
  const sending = useRef<AbortController | null>(null)
  const [isWaiting, setWaiting] = useState(false)
  // Nothing is sent once the form is gone; the input stays stored.
  useEffect(() => () => sending.current?.abort(), [])
  const post = useMutation({
    networkMode: 'always',
    mutationFn: () => {
      const aborting = new AbortController()
      sending.current = aborting
      const last = unsent?.attempt ?? null
      const attempt = attemptFor(input, last, { nowMs: Date.now(), newKey: newIdempotencyKey })
      // Stored before it is sent, so that a repetition after a reload is recognized as one.
      store({ input, snapshot, attempt })
      const header = { 'Idempotency-Key': attempt.key, 'If-Match': ifMatch(incident.version) }
      const params = { path: { id: incident.id }, header }
      return sendUntilAnswered(
        () => api.POST('/api/v1/incidents/{id}/updates', { params, body: attempt.body }),
        { signal: aborting.signal, onUnanswered: () => setWaiting(true) },
      )
    },
    onSuccess: () => {
      store(null)
      void queryClient.invalidateQueries({ queryKey: ['incidents', 'list'] })
      void queryClient.invalidateQueries(overviewQuery)
      return queryClient.invalidateQueries(incidentQuery(incident.id))
    },
    onError: (error) => {
      // The service stores refusals as well: the next post needs a key of its own.
      if (isRefusal(error)) store({ input, snapshot, attempt: null })
      if (isVersionMismatch(error)) void queryClient.invalidateQueries(incidentQuery(incident.id))
    },
    onSettled: () => setWaiting(false),
  })
  return { post, isWaiting, stop: () => sending.current?.abort() }
}

const FAULT = 500

const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.status < FAULT && !isUnanswered(error)
