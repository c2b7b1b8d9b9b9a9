/** Members on call now and next, for every schedule. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Problem } from '../app/problem.tsx'
import { buttonClass } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { type State, StateMark } from '../kit/icon.tsx'
import { Pagination } from '../kit/pagination.tsx'
import { Empty, Screen, Skeleton } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './on-call.module.css'
import { OnCallViews } from './on-call-views.tsx'
import { type Schedule, schedulesQuery } from './queries.ts'
import { PeriodTimes } from './zoned-formats.tsx'

export const OnCallScreen = () => {
  const { onCall: texts } = useTexts()
  const { can } = useSession()
  const create = can('ONCALL_CREATE') && (
    <Link to="/on-call/schedules/new" className={buttonClass('primary')}>
      {texts.newSchedule}
    </Link>
  )
  return (
    <Screen title={texts.title} aside={create}>
      <OnCallViews />
      <ScheduleList />
    </Screen>
  )
}

const ScheduleList = () => {
  const { onCall: texts } = useTexts()
  const { plural } = useFormats()
  const [page, setPage] = useState(1)
  const { data, error, refetch } = useQuery(schedulesQuery(page))
  if (data === undefined) {
    return error === null ? <Skeleton rows={6} /> : <Problem error={error} onRetry={refetch} />
  }
  const { total, pageSize } = data.meta
  if (total === 0) return <Empty title={texts.noSchedules} hint={texts.noSchedulesHint} />
  return (
    <>
      <Card title={plural(texts.count, total)}>
        <ul>
          {data.data.map((schedule) => (
            <ScheduleRow key={schedule.id} schedule={schedule} />
          ))}
        </ul>
      </Card>
      <Pagination page={page} total={total} pageSize={pageSize} onChange={setPage} />
    </>
  )
}

const ScheduleRow = ({ schedule }: { schedule: Schedule }) => {
  const { onCall: texts } = useTexts()
  const { id, name, timezone, isEnabled } = schedule
  return (
    <li className={classes.schedule}>
      <div className={classes.scheduleName}>
        <StateMark state={stateOf(schedule)} />
        <div>
          <p className={classes.title}>
            <Link to="/on-call/schedules/$id" params={{ id }}>
              <bdi>{name}</bdi>
            </Link>
          </p>
          <p className={classes.quiet}>{isEnabled ? timezone : texts.disabled}</p>
        </div>
      </div>
      <OnCallTimes schedule={schedule} />
    </li>
  )
}

export const stateOf = ({ isEnabled, onCallNow }: Schedule): State => {
  if (!isEnabled) return 'none'
  return onCallNow.length > 0 ? 'ok' : 'part'
}

/** Members on call now and next, with the periods of their shifts. */
export const OnCallTimes = ({ schedule }: { schedule: Schedule }) => {
  const { onCall: texts } = useTexts()
  const { onCallNow, onCallNext, timezone } = schedule
  return (
    <dl className={classes.onCall}>
      <Assignee
        label={texts.now}
        assignee={onCallNow[0]}
        none={texts.noneNow}
        timezone={timezone}
      />
      <Assignee
        label={texts.next}
        assignee={onCallNext[0]}
        none={texts.noneNext}
        timezone={timezone}
      />
    </dl>
  )
}

interface AssigneeProps {
  label: string
  assignee: Schedule['onCallNow'][number] | undefined
  none: string
  timezone: string
}

const Assignee = ({ label, assignee, none, timezone }: AssigneeProps) => {
  const { onCall: texts } = useTexts()
  return (
    <div>
      <dt>{label}</dt>
      {assignee === undefined ? (
        <dd className={classes.quiet}>{none}</dd>
      ) : (
        <dd>
          <strong>
            <bdi>{assignee.userName}</bdi>
          </strong>
          {assignee.layerId === null && <span className={classes.badge}>{texts.override}</span>}
          <PeriodTimes since={assignee.since} until={assignee.until} zone={timezone} />
        </dd>
      )}
    </div>
  )
}
