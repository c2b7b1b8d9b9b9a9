/** One step of the first run, next to the list of all steps. */
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { NotFoundScreen } from '../app/not-found-screen.tsx'
import { NoPermission, Problem } from '../app/problem.tsx'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { Screen, Skeleton } from '../kit/screen.tsx'
import { useTexts } from '../texts/texts.tsx'
import { ComponentsStep } from './components-step.tsx'
import classes from './first-run.module.css'
import { type FirstRun, useFirstRun } from './first-run.ts'
import { InviteStep } from './invite-step.tsx'
import { MailStep } from './mail-step.tsx'
import { PageStep } from './page-step.tsx'
import { PublishStep } from './publish-step.tsx'
import { StepMark } from './step-mark.tsx'
import { nextStep, type StepId, type StepProps } from './steps.ts'

const contents: Record<StepId, ComponentType<StepProps>> = {
  page: PageStep,
  components: ComponentsStep,
  publish: PublishStep,
  mail: MailStep,
  invite: InviteStep,
}

export const StepScreen = () => {
  const { firstRun: texts } = useTexts()
  const { step } = useParams({ from: '/start/$step' })
  const { firstRun, error, retry } = useFirstRun()
  if (firstRun === null) {
    return (
      <Screen title={texts.title}>
        {error === null ? <Skeleton rows={6} /> : <Problem error={error} onRetry={retry} />}
      </Screen>
    )
  }
  const current = firstRun.steps.find(({ id }) => id === step)
  if (current !== undefined) return <StepView firstRun={firstRun} id={current.id} />
  if (!Object.hasOwn(contents, step)) return <NotFoundScreen />
  return (
    <Screen title={texts.title}>
      <NoPermission />
    </Screen>
  )
}

const StepView = ({ firstRun, id }: { firstRun: FirstRun; id: StepId }) => {
  const { firstRun: texts } = useTexts()
  const Content = contents[id]
  return (
    <Screen title={texts.title}>
      <div className={classes.wizard}>
        <StepList firstRun={firstRun} current={id} />
        <Card title={texts[id].title}>
          <div className={classes.content}>
            <Content key={id} data={firstRun.data} />
            <StepFooter firstRun={firstRun} id={id} />
          </div>
        </Card>
      </div>
    </Screen>
  )
}

const StepList = ({ firstRun, current }: { firstRun: FirstRun; current: StepId }) => {
  const { firstRun: texts } = useTexts()
  return (
    <nav aria-label={texts.steps}>
      <ol className={classes.steps}>
        {firstRun.steps.map(({ id, state }, index) => (
          <li key={id}>
            <Link
              to="/start/$step"
              params={{ step: id }}
              className={classes.step}
              aria-current={id === current ? 'step' : undefined}
            >
              <StepMark state={state} position={index + 1} />
              <span>{texts[id].title}</span>
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  )
}

/** The way on: to the next open step when this one is done, past it otherwise. */
const StepFooter = ({ firstRun, id }: { firstRun: FirstRun; id: StepId }) => {
  const { actions } = useTexts()
  const navigate = useNavigate()
  const isDone = firstRun.steps.some((step) => step.id === id && step.state === 'done')
  const goOn = () => {
    if (!isDone) firstRun.skip(id)
    const step = nextStep(firstRun.steps, id)
    void (step === null
      ? navigate({ to: '/start' })
      : navigate({ to: '/start/$step', params: { step } }))
  }
  return (
    <footer className={classes.footer}>
      <Button emphasis={isDone ? 'primary' : 'quiet'} onPress={goOn}>
        {isDone ? actions.next : actions.skip}
      </Button>
    </footer>
  )
}
