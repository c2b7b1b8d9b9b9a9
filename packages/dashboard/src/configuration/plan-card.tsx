/** Plan of a document, its apply, and the result. */
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { Checkbox } from '../kit/checkbox.tsx'
import { Note } from '../kit/note.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './configuration.module.css'
import { PlanView } from './plan-view.tsx'
import type { Plan, usePlan } from './use-plan.ts'

type PlanCardProps = { planned: Plan } & Pick<ReturnType<typeof usePlan>, 'plan' | 'apply'>

export const PlanCard = ({ planned, plan, apply }: PlanCardProps) => {
  const { configuration: texts } = useTexts()
  const { result, before, text, prune } = planned
  const isBusy = plan.isPending || apply.isPending
  return (
    <Card title={texts.plan.title}>
      <div className={classes.content}>
        <PlanView result={result} before={before} after={text} />
        <Checkbox
          label={texts.plan.prune}
          hint={texts.plan.pruneHint}
          isSelected={plan.isPending ? plan.variables : prune}
          onChange={(isSelected) => plan.mutate(isSelected)}
          isDisabled={isBusy}
        />
        <div className={classes.actions}>
          <ApplyButton plan={planned} apply={apply} isDisabled={isBusy} />
        </div>
      </div>
    </Card>
  )
}

interface ApplyButtonProps {
  plan: Plan
  apply: PlanCardProps['apply']
  isDisabled: boolean
}

const ApplyButton = ({ plan, apply, isDisabled }: ApplyButtonProps) => {
  const { configuration: texts } = useTexts()
  const { fill, number } = useFormats()
  const deletions = plan.result.deleted.length
  const label =
    deletions > 0 ? fill(texts.plan.applyAndDelete, { count: number(deletions) }) : texts.plan.apply
  return (
    <Button
      emphasis={deletions > 0 ? 'danger' : 'primary'}
      onPress={() => apply.mutate(plan)}
      isDisabled={isDisabled}
    >
      {apply.isPending ? texts.plan.applying : label}
    </Button>
  )
}

export const AppliedCard = ({ plan }: { plan: Plan }) => {
  const { configuration: texts } = useTexts()
  return (
    <Card title={texts.plan.result}>
      <div className={classes.content}>
        <Note state="ok">{texts.plan.applied}</Note>
        <PlanView result={plan.result} before={plan.before} after={plan.text} />
      </div>
    </Card>
  )
}
