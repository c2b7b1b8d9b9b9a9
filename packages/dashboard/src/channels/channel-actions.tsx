/** Actions on a channel: its deliveries, enabling and disabling, and deletion. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { ConfirmDialog } from '../app/confirm-dialog.tsx'
import { ProblemNote } from '../app/problem-note.tsx'
import { Button, buttonClass } from '../kit/button.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import classes from './channels.module.css'
import type { ChannelData } from './draft.ts'

export const ChannelActions = ({ channel }: { channel: ChannelData }) => {
  const { channels: texts } = useTexts()
  const { can } = useSession()
  const { id, isEnabled, status } = channel
  const { enable, remove } = useWrites(id)
  const [isDeleting, setDeleting] = useState(false)
  const isOn = isEnabled && status === 'active'
  return (
    <div className={classes.buttons}>
      <Link to="/deliveries" search={{ channel: id }} className={buttonClass()}>
        {texts.deliveries}
      </Link>
      {can('NOTIFICATIONS_UPDATE') && (
        <Button onPress={() => enable.mutate(!isOn)} isDisabled={enable.isPending}>
          {isOn ? texts.disable : texts.enable}
        </Button>
      )}
      {can('NOTIFICATIONS_DELETE') && (
        <Button emphasis="danger" onPress={() => setDeleting(true)}>
          {texts.delete}
        </Button>
      )}
      <ProblemNote error={enable.error} />
      {isDeleting && (
        <ConfirmDialog
          title={texts.deleteTitle}
          confirm={texts.delete}
          action={remove}
          onClose={() => setDeleting(false)}
        >
          <p>
            <bdi>{channel.name}</bdi>
          </p>
          <p>{texts.deleteHint}</p>
        </ConfirmDialog>
      )}
    </div>
  )
}

const useWrites = (id: string) => {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const params = { path: { id } }
  const onSettled = () => queryClient.invalidateQueries({ queryKey: ['notification-channels'] })
  /** Enabling also reactivates a channel that the service has paused or stopped. */
  const enable = useMutation({
    mutationFn: (isEnabled: boolean) =>
      api.PATCH('/api/v1/notification-channels/{id}', { params, body: { isEnabled } }),
    onSettled,
  })
  const remove = useMutation({
    mutationFn: () => api.DELETE('/api/v1/notification-channels/{id}', { params }),
    onSuccess: async () => {
      await navigate({ to: '/channels', ignoreBlocker: true })
      queryClient.removeQueries({ queryKey: ['notification-channels', 'detail', id] })
      await onSettled()
    },
  })
  return { enable, remove }
}
