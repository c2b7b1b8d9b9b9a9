/** Actions on the list of subscribers: add, import, export, and erasure of an address. */
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { ActionMenu, type MenuAction } from '../kit/action-menu.tsx'
import { Button } from '../kit/button.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import { EraseDialog } from './erase-dialog.tsx'
import { type SubscriberFilters, toSubscriberQuery } from './filters.ts'
import { NewSubscriberDialog } from './new-subscriber-dialog.tsx'
import classes from './subscribers.module.css'

export const ListActions = ({ filters }: { filters: SubscriberFilters }) => {
  const { subscribers: texts } = useTexts()
  const { can } = useSession()
  const navigate = useNavigate()
  const [dialog, setDialog] = useState<'add' | 'erase' | null>(null)
  const download = useMutation({ mutationFn: () => downloadCsv(filters) })
  const close = () => setDialog(null)
  const others: MenuAction[] = [
    ...(can('SUBSCRIBERS_CREATE')
      ? [
          {
            id: 'import',
            label: texts.import.action,
            onAction: () => void navigate({ to: '/subscribers/import' }),
          },
        ]
      : []),
    { id: 'export', label: texts.export, onAction: () => download.mutate() },
    ...(can('SUBSCRIBERS_DELETE')
      ? [{ id: 'erase', label: `${texts.erase.action} …`, onAction: () => setDialog('erase') }]
      : []),
  ]
  return (
    <div className={classes.actions}>
      <ActionMenu label={texts.more} actions={others} isPending={download.isPending} />
      {can('SUBSCRIBERS_CREATE') && (
        <Button emphasis="primary" onPress={() => setDialog('add')}>
          {texts.add}
        </Button>
      )}
      <ProblemNote error={download.error} />
      {dialog === 'add' && <NewSubscriberDialog onClose={close} />}
      {dialog === 'erase' && <EraseDialog onClose={close} />}
    </div>
  )
}

/** Saves the subscribers that the filters permit as a file. */
const downloadCsv = async (filters: SubscriberFilters): Promise<void> => {
  const query = { ...toSubscriberQuery(filters), format: 'csv' } as const
  const { data } = await api.GET('/api/v1/subscribers', { params: { query }, parseAs: 'blob' })
  const link = document.createElement('a')
  link.href = URL.createObjectURL(data)
  link.download = 'subscribers.csv'
  link.click()
  URL.revokeObjectURL(link.href)
}
