/** On-call alerts without acknowledgement. */
import type { Schemas } from '@status-page/client'
import { AlertRow } from '../oncall/alert-row.tsx'
import { useAlertAction } from '../oncall/use-alert-action.ts'
import { useTexts } from '../texts/texts.tsx'
import { ListCard } from './list.tsx'

export const AlertsCard = ({ alerts }: Pick<Schemas['Overview'], 'alerts'>) => {
  const { overview: texts } = useTexts()
  const mutation = useAlertAction()
  if (alerts === null) return null
  return (
    <ListCard
      title={texts.alerts}
      total={alerts.total}
      shown={alerts.items.length}
      error={mutation.error}
    >
      {alerts.items.map((alert) => (
        <AlertRow key={alert.id} alert={alert} mutation={mutation} />
      ))}
    </ListCard>
  )
}
