/** Alert in a list, with the actions that its status and the role permit. */
import { Link } from '@tanstack/react-router'
import { Button } from '../kit/button.tsx'
import type { State } from '../kit/icon.tsx'
import { ListRow } from '../kit/list-row.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { useAlertTitle } from './alert-text.ts'
import classes from './on-call.module.css'
import type { OnCallAlert } from './queries.ts'
import type { AlertMutation } from './use-alert-action.ts'

export const alertState = ({ status, severity }: OnCallAlert): State => {
  if (status === 'resolved') return 'ok'
  return severity === 'critical' ? 'down' : 'slow'
}

interface AlertRowProps {
  alert: OnCallAlert
  mutation: AlertMutation
}

export const AlertRow = ({ alert, mutation }: AlertRowProps) => {
  const { onCall: texts, ...names } = useTexts()
  const { fill, plural, time } = useFormats()
  const alertTitle = useAlertTitle()
  return (
    <ListRow
      state={alertState(alert)}
      title={
        <Link to="/on-call/alerts/$id" params={{ id: alert.id }}>
          {alertTitle(alert)}
        </Link>
      }
      facts={[
        names.severities[alert.severity],
        alert.scheduleName,
        alert.status === 'triggered' ? null : texts.statuses[alert.status],
        fill(texts.raised, { time: time(alert.triggeredAt) }),
        alert.count > 1 ? plural(texts.raisedTimes, alert.count) : null,
        alert.noResponder ? texts.noResponder : null,
      ]}
      actions={<AlertActions alert={alert} mutation={mutation} />}
    />
  )
}

export const AlertActions = ({ alert, mutation }: AlertRowProps) => {
  const { onCall: texts } = useTexts()
  const { can } = useSession()
  const { id, status } = alert
  if (!can('ONCALL_UPDATE') || status === 'resolved') return null
  const isPending = mutation.isPending && mutation.variables.id === id
  return (
    <div className={classes.actions}>
      {status === 'triggered' && (
        <Button
          onPress={() => mutation.mutate({ id, action: 'acknowledge' })}
          isDisabled={isPending}
        >
          {texts.acknowledge}
        </Button>
      )}
      <Button
        emphasis="quiet"
        onPress={() => mutation.mutate({ id, action: 'resolve' })}
        isDisabled={isPending}
      >
        {texts.resolve}
      </Button>
    </div>
  )
}
