/** Escalation steps of a schedule. */
import { Card } from '../kit/card.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { useTargetNames } from './names.ts'
import classes from './on-call.module.css'
import type { Schedule } from './queries.ts'

export const EscalationCard = ({ schedule }: { schedule: Schedule }) => {
  const { onCall: texts } = useTexts()
  const { list } = useFormats()
  const { nameOf } = useTargetNames()
  const delayText = useDelayText()
  return (
    <Card title={texts.escalation}>
      <ol>
        {schedule.escalation.map(({ delayMinutes, targets }) => (
          <li key={delayMinutes} className={classes.row}>
            <div className={classes.rowText}>
              <strong>{delayText(delayMinutes)}</strong>
              <span>{list(targets.map(nameOf))}</span>
            </div>
          </li>
        ))}
      </ol>
      {schedule.events.length > 0 && (
        <p className={classes.footnote}>
          {texts.alsoRaisedBy}: {list(schedule.events.map((event) => texts.eventNames[event]))}
        </p>
      )}
    </Card>
  )
}

/** Returns the function that names the time of a step after its alert. */
export const useDelayText = () => {
  const { onCall: texts } = useTexts()
  const { plural } = useFormats()
  return (minutes: number) =>
    minutes === 0 ? texts.immediately : plural(texts.afterMinutes, minutes)
}
