/** History of an alert: when it was raised, its escalation, acknowledgement and resolution. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Card } from '../kit/card.tsx'
import { type State, StateMark } from '../kit/icon.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { useDelayText } from './escalation-card.tsx'
import { type HistoryStep, historyOf } from './escalation-history.ts'
import { useMemberNames, useTargetNames } from './names.ts'
import classes from './on-call.module.css'
import { type OnCallAlert, scheduleQuery } from './queries.ts'

export const AlertHistoryCard = ({ alert }: { alert: OnCallAlert }) => {
  const { onCall: texts } = useTexts()
  const { fill, list, time } = useFormats()
  const members = useMemberNames()
  // A deleted schedule is 404: its alerts remain, without the steps.
  const { data: schedule } = useQuery({ ...scheduleQuery(alert.scheduleId), retry: false })
  const steps = schedule === undefined ? [] : historyOf(alert, schedule.escalation)
  const { assignedUserIds, acknowledgedAt, acknowledgedBy, resolvedAt } = alert
  return (
    <Card title={texts.history}>
      <ol>
        <HistoryEntry state="down" title={texts.alertRaised} at={time(alert.triggeredAt)}>
          {alert.noResponder && texts.noResponder}
        </HistoryEntry>
        {steps.map((step) => (
          <StepEntry key={step.delayMinutes} step={step} />
        ))}
        {acknowledgedAt !== null && (
          <HistoryEntry state="work" title={texts.statuses.acknowledged} at={time(acknowledgedAt)}>
            {acknowledgedBy === null ? texts.byKey : members.nameOf(acknowledgedBy)}
          </HistoryEntry>
        )}
        {resolvedAt !== null && (
          <HistoryEntry state="ok" title={texts.statuses.resolved} at={time(resolvedAt)} />
        )}
      </ol>
      <p className={classes.footnote}>
        {assignedUserIds.length === 0
          ? texts.noneNotified
          : fill(texts.notified, { names: list(assignedUserIds.map(members.nameOf)) })}
      </p>
    </Card>
  )
}

const stepStates: Record<HistoryStep['state'], State> = {
  done: 'slow',
  next: 'none',
  planned: 'none',
  ended: 'none',
}

const StepEntry = ({ step }: { step: HistoryStep }) => {
  const { onCall: texts } = useTexts()
  const { fill, list, time } = useFormats()
  const { nameOf } = useTargetNames()
  const delayText = useDelayText()
  const { state, at, delayMinutes, targets } = step
  return (
    <HistoryEntry
      state={stepStates[state]}
      title={fill(texts.step, { delay: delayText(delayMinutes) })}
      at={state === 'ended' ? texts.stepStates.ended : `${texts.stepStates[state]} · ${time(at)}`}
    >
      {list(targets.map(nameOf))}
    </HistoryEntry>
  )
}

interface HistoryEntryProps {
  state: State
  title: string
  at: string
  children?: ReactNode
}

const HistoryEntry = ({ state, title, at, children }: HistoryEntryProps) => (
  <li className={classes.row}>
    <StateMark state={state} />
    <div className={classes.rowText}>
      <strong>
        <bdi>{title}</bdi>
      </strong>
      <span className={classes.quiet}>{at}</span>
      {Boolean(children) && <bdi>{children}</bdi>}
    </div>
  </li>
)
