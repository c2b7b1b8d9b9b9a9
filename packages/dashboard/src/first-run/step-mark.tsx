/** Mark of a step: its number, or its state. */
import { StateMark } from '../kit/icon.tsx'
import { useTexts } from '../texts/texts.tsx'
import classes from './first-run.module.css'
import type { StepState } from './steps.ts'

export const StepMark = ({ state, position }: { state: StepState; position: number }) => {
  const { firstRun } = useTexts()
  if (state === 'open') {
    return (
      <span className={classes.number} aria-hidden="true">
        {position}
      </span>
    )
  }
  return (
    <span className={classes.state}>
      <StateMark state={state === 'done' ? 'ok' : 'none'} />
      <span className="visually-hidden">{firstRun[state]}</span>
    </span>
  )
}
