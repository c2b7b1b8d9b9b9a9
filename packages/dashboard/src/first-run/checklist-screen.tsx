/** Checklist of the first run. */
import { Link } from '@tanstack/react-router'
import { NoPermission, Problem } from '../app/problem.tsx'
import { buttonClass } from '../kit/button.tsx'
import { Screen, Skeleton } from '../kit/screen.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './first-run.module.css'
import { type FirstRun, useFirstRun } from './first-run.ts'
import { SampleDataCard } from './sample-data-card.tsx'
import { StartChoices } from './start-choices.tsx'
import { StepMark } from './step-mark.tsx'
import { isFirstRunComplete, nextStep } from './steps.ts'

export const ChecklistScreen = () => {
  const { firstRun: texts } = useTexts()
  const { firstRun, error, retry } = useFirstRun()
  return (
    <Screen title={texts.title} intro={texts.intro}>
      {firstRun !== null && <FirstRunView {...firstRun} />}
      {firstRun === null && error === null && <Skeleton rows={5} />}
      {firstRun === null && error !== null && <Problem error={error} onRetry={retry} />}
    </Screen>
  )
}

const FirstRunView = (firstRun: FirstRun) => {
  if (firstRun.steps.length === 0) return <NoPermission />
  return (
    <div className={classes.start}>
      <StartChoices data={firstRun.data} />
      <Checklist {...firstRun} />
      <SampleDataCard />
    </div>
  )
}

const Checklist = ({ steps, data }: FirstRun) => {
  const { firstRun: texts } = useTexts()
  const { fill, number } = useFormats()
  const next = nextStep(steps, null)
  const done = steps.filter(({ state }) => state === 'done').length
  const progress = fill(texts.progress, { done: number(done), total: number(steps.length) })
  return (
    <section className={classes.checklist}>
      <p className={classes.progress}>
        {isFirstRunComplete({ steps, data }) ? texts.complete : progress}
      </p>
      <ol>
        {steps.map(({ id, state }) => (
          <li key={id} className={classes.task}>
            <StepMark state={state} position={steps.findIndex((step) => step.id === id) + 1} />
            <div className={classes.taskText}>
              <h2>{texts[id].title}</h2>
              <p>{state === 'open' ? texts[id].hint : texts[state]}</p>
            </div>
            <Link
              to="/start/$step"
              params={{ step: id }}
              className={buttonClass(id === next ? 'primary' : 'secondary')}
              aria-label={`${texts.openStep} ${texts[id].title}`}
            >
              {texts.openStep}
            </Link>
          </li>
        ))}
      </ol>
    </section>
  )
}
