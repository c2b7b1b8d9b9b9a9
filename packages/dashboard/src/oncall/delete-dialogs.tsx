/** Confirmations of the deletion of a schedule and of an override. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../api/client.ts'
import { ConfirmDialog } from '../app/confirm-dialog.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { Override } from './lanes.ts'
import { type Schedule, schedulesKey } from './queries.ts'

interface DeleteScheduleDialogProps {
  schedule: Schedule
  onClose(): void
}

export const DeleteScheduleDialog = ({ schedule, onClose }: DeleteScheduleDialogProps) => {
  const { onCall: texts } = useTexts()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const { id } = schedule
  const remove = useMutation({
    mutationFn: () => api.DELETE('/api/v1/oncall/schedules/{id}', { params: { path: { id } } }),
    onSuccess: async () => {
      await navigate({ to: '/on-call' })
      return queryClient.invalidateQueries({ queryKey: schedulesKey })
    },
  })
  return (
    <ConfirmDialog
      title={texts.deleteSchedule}
      confirm={texts.delete}
      action={remove}
      onClose={onClose}
    >
      <p>{texts.deleteScheduleHint}</p>
    </ConfirmDialog>
  )
}

interface DeleteOverrideDialogProps {
  schedule: Schedule
  override: Override
  onClose(): void
}

export const DeleteOverrideDialog = (props: DeleteOverrideDialogProps) => {
  const { schedule, override, onClose } = props
  const { onCall: texts } = useTexts()
  const queryClient = useQueryClient()
  const path = { id: schedule.id, overrideId: override.id }
  const remove = useMutation({
    mutationFn: () =>
      api.DELETE('/api/v1/oncall/schedules/{id}/overrides/{overrideId}', { params: { path } }),
    onSuccess: () => {
      onClose()
      return queryClient.invalidateQueries({ queryKey: schedulesKey })
    },
  })
  return (
    <ConfirmDialog
      title={texts.deleteOverride}
      confirm={texts.delete}
      action={remove}
      onClose={onClose}
    >
      <p>{texts.deleteOverrideHint}</p>
    </ConfirmDialog>
  )
}
