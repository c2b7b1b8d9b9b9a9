/** Actions of a maintenance: start, complete, extend, cancel and edit. */
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ActionMenu } from '../kit/action-menu.tsx'
import { Button, buttonClass } from '../kit/button.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import { CancelDialog, ExtendDialog, StatusDialog } from './action-dialogs.tsx'
import classes from './maintenances.module.css'
import type { MaintenanceData } from './queries.ts'

type Action = 'in_progress' | 'verifying' | 'completed' | 'extend' | 'cancel'

export const MaintenanceActions = ({ maintenance }: { maintenance: MaintenanceData }) => {
  const { maintenance: texts } = useTexts()
  const { can } = useSession()
  const [action, setAction] = useState<Action | null>(null)
  const { id, status } = maintenance
  const close = () => setAction(null)
  const isOpen = status !== 'completed' && status !== 'cancelled'
  const isRunning = status === 'in_progress' || status === 'verifying'
  const canUpdate = can('MAINTENANCES_UPDATE')
  const more = [
    ...(canUpdate && status === 'in_progress' ? (['verifying'] as const) : []),
    ...(canUpdate && isOpen ? (['extend'] as const) : []),
    ...(can('MAINTENANCES_DELETE') && isOpen ? (['cancel'] as const) : []),
  ]
  if (!canUpdate && more.length === 0) return null
  return (
    <div className={classes.buttons}>
      {canUpdate && (
        <Link to="/maintenances/$id/edit" params={{ id }} className={buttonClass()}>
          {texts.edit}
        </Link>
      )}
      {more.length > 0 && (
        <ActionMenu
          label={texts.actions.more}
          actions={more.map((one) => ({
            id: one,
            label: texts.actions[one],
            onAction: () => setAction(one),
          }))}
        />
      )}
      {canUpdate && isOpen && (
        <Button
          emphasis="primary"
          onPress={() => setAction(isRunning ? 'completed' : 'in_progress')}
        >
          {texts.actions[isRunning ? 'completed' : 'in_progress']}
        </Button>
      )}
      {action === 'extend' && <ExtendDialog maintenance={maintenance} onClose={close} />}
      {action === 'cancel' && <CancelDialog maintenance={maintenance} onClose={close} />}
      {action !== null && action !== 'extend' && action !== 'cancel' && (
        <StatusDialog maintenance={maintenance} status={action} onClose={close} />
      )}
    </div>
  )
}
