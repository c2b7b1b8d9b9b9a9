/** Actions on a private location: a new enrolment token, and its deletion. */
import { ApiError } from '@status-page/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { locationsQuery } from '../api/queries.ts'
import { ConfirmDialog } from '../app/confirm-dialog.tsx'
import { ActionMenu } from '../kit/action-menu.tsx'
import { Note } from '../kit/note.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { EnrolmentDialog } from './enrolment-dialog.tsx'

interface LocationMenuProps {
  location: { id: string; name: string }
}

interface LocationDialogProps extends LocationMenuProps {
  onClose(): void
}

export const LocationMenu = ({ location }: LocationMenuProps) => {
  const { locations: texts } = useTexts()
  const { fill } = useFormats()
  const { can } = useSession()
  const [open, setOpen] = useState<'rotate' | 'remove' | null>(null)
  const actions = [
    ...(can('ORGANIZATION_UPDATE')
      ? [{ id: 'rotate', label: texts.rotate, onAction: () => setOpen('rotate') }]
      : []),
    ...(can('ORGANIZATION_DELETE')
      ? [{ id: 'remove', label: texts.remove, onAction: () => setOpen('remove') }]
      : []),
  ]
  const dialog = { location, onClose: () => setOpen(null) }
  return (
    <>
      {actions.length > 0 && (
        <ActionMenu
          label={fill(texts.actionsOf, { name: location.name })}
          isCompact
          actions={actions}
        />
      )}
      {open === 'rotate' && <RotateDialog {...dialog} />}
      {open === 'remove' && <RemoveDialog {...dialog} />}
    </>
  )
}

const RotateDialog = ({ location: { id, name }, onClose }: LocationDialogProps) => {
  const { locations: texts } = useTexts()
  const { fill } = useFormats()
  const queryClient = useQueryClient()
  const rotate = useMutation({
    mutationFn: async () => {
      const params = { path: { id } }
      return (await api.POST('/api/v1/locations/{id}/rotate-token', { params })).data
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: locationsQuery.queryKey }),
    // The token does not remain in memory once its dialog is closed.
    gcTime: 0,
  })
  if (rotate.data !== undefined) {
    return <EnrolmentDialog enrolment={rotate.data} onClose={onClose} />
  }
  return (
    <ConfirmDialog
      title={fill(texts.rotateTitle, { name })}
      confirm={texts.rotate}
      action={rotate}
      onClose={onClose}
    >
      <p>{texts.rotateHint}</p>
    </ConfirmDialog>
  )
}

const isInUse = (error: unknown): boolean =>
  error instanceof ApiError && (error.details as { reason?: string }).reason === 'in_use'

const RemoveDialog = ({ location: { id, name }, onClose }: LocationDialogProps) => {
  const { locations: texts } = useTexts()
  const { fill } = useFormats()
  const queryClient = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => api.DELETE('/api/v1/locations/{id}', { params: { path: { id } } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: locationsQuery.queryKey }),
  })
  const isRefused = isInUse(error)
  return (
    <ConfirmDialog
      title={fill(texts.removeTitle, { name })}
      confirm={texts.remove}
      action={{ mutate, isPending, error: isRefused ? null : error }}
      onClose={onClose}
    >
      <p>{texts.removeHint}</p>
      {isRefused && (
        <Note state="down" role="alert">
          {texts.inUse}
        </Note>
      )}
    </ConfirmDialog>
  )
}
