/** Saves the changes of a component, unless another user has changed the same fields. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { ifMatch, isVersionMismatch } from '../api/versions.ts'
import { type ComponentDraft, conflictingFields, type DraftField, patchOf } from './draft.ts'
import type { ComponentData } from './tree.ts'

/** Both the user and someone else have changed `fields` since the edit began. */
export class EditConflict extends Error {
  readonly current: ComponentData
  readonly fields: readonly DraftField[]

  constructor(current: ComponentData, fields: readonly DraftField[]) {
    super('The component was changed in the meantime')
    this.current = current
    this.fields = fields
  }
}

interface Edit {
  base: ComponentData
  draft: ComponentDraft
}

export const useSave = (onSaved: (component: ComponentData, sent: ComponentDraft) => void) => {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: save,
    onSuccess: (component, { draft }) => {
      onSaved(component, draft)
      return queryClient.invalidateQueries({ queryKey: ['components'] })
    },
  })
}

const save = async ({ base, draft }: Edit): Promise<ComponentData> => {
  const patch = patchOf(base, draft)
  try {
    return await update(base, patch)
  } catch (error) {
    if (!isVersionMismatch(error)) throw error
    const path = { id: base.id }
    const { data: current } = await api.GET('/api/v1/components/{id}', { params: { path } })
    const fields = conflictingFields(base, current, patch)
    if (fields.length > 0) throw new EditConflict(current, fields)
    return update(current, patch)
  }
}

const update = async (
  { id, version }: ComponentData,
  body: Readonly<Record<string, unknown>>,
): Promise<ComponentData> => {
  const params = { path: { id }, header: { 'If-Match': ifMatch(version) } }
  return (await api.PATCH('/api/v1/components/{id}', { params, body })).data
}
