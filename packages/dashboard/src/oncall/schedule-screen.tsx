/** Schedule: who is on call, its calendar and its overrides. */
import { ApiError } from '@status-page/client'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Problem } from '../app/problem.tsx'
import { Button, buttonClass } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { Note } from '../kit/note.tsx'
import { Screen, Skeleton } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import { CalendarCard } from './calendar-card.tsx'
import { DeleteScheduleDialog } from './delete-dialogs.tsx'
import { EscalationCard } from './escalation-card.tsx'
import classes from './on-call.module.css'
import { OnCallTimes } from './on-call-screen.tsx'
import { OnCallViews } from './on-call-views.tsx'
import { OverrideDialog, type OverrideDraft } from './override-dialog.tsx'
import { OverridesCard } from './overrides-card.tsx'
import { type Schedule, scheduleQuery } from './queries.ts'

const route = getRouteApi('/on-call/schedules/$id')
const NOT_FOUND = 404

export const ScheduleScreen = () => {
  const { onCall: texts } = useTexts()
  const { id } = route.useParams()
  const { data, error, refetch } = useQuery(scheduleQuery(id))
  const isDeleted = error instanceof ApiError && error.status === NOT_FOUND
  if (data === undefined || isDeleted) {
    return (
      <Screen title={texts.title}>
        {error === null ? <Skeleton rows={8} /> : <Problem error={error} onRetry={refetch} />}
      </Screen>
    )
  }
  return <ScheduleView key={id} schedule={data} />
}

const ScheduleView = ({ schedule }: { schedule: Schedule }) => {
  const { onCall: texts } = useTexts()
  const { can } = useSession()
  const [edited, setEdited] = useState<OverrideDraft | null>(null)
  const edit = can('ONCALL_UPDATE') ? setEdited : null
  return (
    <Screen
      title={schedule.name}
      intro={schedule.description ?? undefined}
      aside={<ScheduleActions schedule={schedule} />}
    >
      <OnCallViews />
      {!schedule.isEnabled && <Note state="slow">{texts.disabledHint}</Note>}
      {schedule.managedByConfig && <Note state="slow">{texts.managed}</Note>}
      <Card title={texts.onCall} aside={schedule.timezone}>
        <div className={classes.body}>
          <OnCallTimes schedule={schedule} />
        </div>
      </Card>
      <CalendarCard schedule={schedule} onEdit={edit} />
      <div className={classes.columns}>
        <OverridesCard schedule={schedule} onEdit={edit} />
        <EscalationCard schedule={schedule} />
      </div>
      {edited !== null && (
        <OverrideDialog schedule={schedule} draft={edited} onClose={() => setEdited(null)} />
      )}
    </Screen>
  )
}

const ScheduleActions = ({ schedule }: { schedule: Schedule }) => {
  const { onCall: texts } = useTexts()
  const { can } = useSession()
  const [isDeleting, setDeleting] = useState(false)
  return (
    <div className={classes.actions}>
      {can('ONCALL_UPDATE') && (
        <Link
          to="/on-call/schedules/$id/settings"
          params={{ id: schedule.id }}
          className={buttonClass()}
        >
          {texts.edit}
        </Link>
      )}
      {can('ONCALL_DELETE') && (
        <Button emphasis="danger" onPress={() => setDeleting(true)}>
          {texts.delete}
        </Button>
      )}
      {isDeleting && (
        <DeleteScheduleDialog schedule={schedule} onClose={() => setDeleting(false)} />
      )}
    </div>
  )
}
