/** Actions on one component: manual status, copy and deletion. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { componentStatuses } from '../api/contract.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { ActionMenu, type MenuAction } from '../kit/action-menu.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import { removeComponent } from './bulk-actions.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import classes from './detail.module.css'
import { allComponentsQuery } from './queries.ts'
import { type ComponentData, flatten, treeOf } from './tree.ts'

export const ComponentActions = ({ component }: { component: ComponentData }) => {
  const texts = useTexts()
  const { detail } = texts.componentScreens
  const { can } = useSession()
  const { setStatus, clone, remove } = useComponentActions(component.id)
  const [isDeleting, setDeleting] = useState(false)
  const statuses = componentStatuses.map((status): MenuAction => {
    return { id: status, label: texts.components[status], onAction: () => setStatus.mutate(status) }
  })
  const others: MenuAction[] = [
    ...(can('COMPONENTS_CREATE')
      ? [{ id: 'clone', label: detail.clone, onAction: () => clone.mutate() }]
      : []),
    ...(can('COMPONENTS_DELETE')
      ? [{ id: 'delete', label: `${detail.delete} …`, onAction: () => setDeleting(true) }]
      : []),
  ]
  return (
    <div className={classes.actions}>
      {can('COMPONENTS_UPDATE') && (
        <ActionMenu label={detail.setStatus} actions={statuses} isPending={setStatus.isPending} />
      )}
      {others.length > 0 && <ActionMenu label={detail.more} actions={others} />}
      <ProblemNote error={setStatus.error ?? clone.error ?? remove.error} />
      {isDeleting && (
        <DeleteOne
          component={component}
          onClose={() => setDeleting(false)}
          onDelete={() => {
            setDeleting(false)
            remove.mutate()
          }}
        />
      )}
    </div>
  )
}

interface DeleteOneProps {
  component: ComponentData
  onClose(): void
  onDelete(): void
}

/** Knows all subcomponents once the list is loaded, and the direct ones before. */
const DeleteOne = ({ component, onClose, onDelete }: DeleteOneProps) => {
  const { data = [] } = useQuery(allComponentsQuery)
  const known = flatten(treeOf(data)).find(({ id }) => id === component.id)
  const direct = treeOf([component, ...(component.subComponents ?? [])])[0]
  const node = known ?? direct
  if (node === undefined) return null
  return <DeleteDialog nodes={[node]} onClose={onClose} onDelete={onDelete} />
}

const useComponentActions = (id: string) => {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const params = { path: { id } }
  const onSettled = () => queryClient.invalidateQueries({ queryKey: ['components'] })
  const setStatus = useMutation({
    mutationFn: (status: ComponentData['status']) =>
      api.PATCH('/api/v1/components/{id}', { params, body: { status } }),
    onSettled,
  })
  const clone = useMutation({
    mutationFn: () => api.POST('/api/v1/components/{id}/clone', { params }),
    onSuccess: ({ data }) => navigate({ to: '/components/$id/settings', params: { id: data.id } }),
    onSettled,
  })
  const remove = useMutation({
    mutationFn: () => removeComponent(id),
    onSuccess: async () => {
      await navigate({ to: '/components' })
      queryClient.removeQueries({ queryKey: ['components', id] })
      await onSettled()
    },
  })
  return { setStatus, clone, remove }
}
