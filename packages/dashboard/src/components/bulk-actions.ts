/** Actions on several components, in requests of limited size. */
import { ApiError } from '@status-page/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { allComponentsQuery } from './queries.ts'
import type { ComponentData, Placement } from './tree.ts'

export type BulkAction =
  | {
      kind: 'update'
      ids: string[]
      change: Partial<Pick<ComponentData, 'status' | 'isEnabled' | 'isMuted'>>
    }
  | { kind: 'move'; ids: string[]; parentComponentId: string | null }
  | { kind: 'delete'; ids: string[] }

/** Maximum number of components of a request. */
const MAX_COMPONENTS = 100
const NOT_FOUND = 404

/** `progress` is the number of components that the current or last action has changed. */
export const useBulkAction = () => {
  const queryClient = useQueryClient()
  const [progress, setProgress] = useState(0)
  const mutation = useMutation({
    mutationFn: async (action: BulkAction) => {
      setProgress(0)
      const size = action.kind === 'delete' ? 1 : MAX_COMPONENTS
      for (let start = 0; start < action.ids.length; start += size) {
        const ids = action.ids.slice(start, start + size)
        const changed = new Map((await applyTo(ids, action)).map((one) => [one.id, one]))
        queryClient.setQueryData(allComponentsQuery.queryKey, (list) =>
          list?.map((component) => changed.get(component.id) ?? component),
        )
        setProgress(start + ids.length)
      }
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['components'] }),
  })
  return { ...mutation, progress }
}

/** Returns the changed components, so that the list shows them at once. */
const applyTo = async (ids: string[], action: BulkAction): Promise<ComponentData[]> => {
  if (action.kind === 'delete') {
    await removeComponent(ids[0] ?? '')
    return []
  }
  if (action.kind === 'move') {
    const body: Placement = {
      componentIds: ids,
      parentComponentId: action.parentComponentId,
      beforeId: null,
    }
    return (await api.POST('/api/v1/components/positions', { body })).data.data
  }
  const updates = ids.map((id) => ({ id, ...action.change }))
  return (await api.POST('/api/v1/components/bulk', { body: { updates } })).data.data
}

/** A component that another user has deleted in the meantime counts as deleted. */
export const removeComponent = async (id: string): Promise<void> => {
  try {
    await api.DELETE('/api/v1/components/{id}', { params: { path: { id } } })
  } catch (error) {
    if (!(error instanceof ApiError && error.status === NOT_FOUND)) throw error
  }
}
