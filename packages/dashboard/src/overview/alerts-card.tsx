/** On-call alerts without acknowledgement. */
import type { Schemas } from '@status-page/client'
import { api } from '../api/client.ts'
import { Button } from '../kit/button.tsx'
import { ListRow } from '../kit/list-row.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { ListCard } from './list.tsx'
import { useOverviewAction } from './overview-action.ts'

export const AlertsCard = ({ alerts }: Pick<Schemas['Overview'], 'alerts'>) => {
  const { overview: texts, ...names } = useTexts()
  const { fill, plural, time } = useFormats()
  const { can } = useSession()
  const acknowledge = useOverviewAction('alerts', ({ id }: { id: string }) =>
    api.POST('/api/v1/oncall/alerts/{id}/acknowledge', { params: { path: { id } } }),
  )
  if (alerts === null) return null
  return (
    <ListCard
      title={texts.alerts}
      total={alerts.total}
      shown={alerts.items.length}
      error={acknowledge.error}
    >
      {alerts.items.map((alert) => (
        <ListRow
          key={alert.id}
          state={alert.severity === 'critical' ? 'down' : 'slow'}
          title={alert.title}
          facts={[
            names.severities[alert.severity],
            fill(texts.raised, { time: time(alert.triggeredAt) }),
            alert.count > 1 ? plural(texts.raisedTimes, alert.count) : null,
            alert.noResponder ? texts.noResponder : null,
          ]}
          actions={
            can('ONCALL_UPDATE') && (
              <Button
                onPress={() => acknowledge.mutate({ id: alert.id })}
                isDisabled={acknowledge.isPending && acknowledge.variables.id === alert.id}
              >
                {texts.acknowledge}
              </Button>
            )
          }
        />
      ))}
    </ListCard>
  )
}
