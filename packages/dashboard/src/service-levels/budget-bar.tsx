/** Error budget that is left, as bar and text. */
import type { CSSProperties } from 'react'
import { stateClass } from '../kit/icon.tsx'
import { useFormats, useLanguage, useTexts } from '../texts/texts.tsx'
import { useDurationText } from './durations.ts'
import type { ServiceLevel } from './queries.ts'
import classes from './service-levels.module.css'
import { budgetShareOf, serviceLevelMarks } from './states.ts'

type BudgetBarProps = Pick<ServiceLevel, 'current'>

export const BudgetBar = ({ current }: BudgetBarProps) => {
  const { serviceLevel: texts } = useTexts()
  const { fill } = useFormats()
  const { formatLocale: locale } = useLanguage()
  const durationText = useDurationText()
  const share = budgetShareOf(current)
  const { budgetRemainingSeconds: left, budgetTotalSeconds: total, burnRate } = current
  if (share === null || left === null || total === null)
    return <p className={classes.quiet}>{texts.noData}</p>
  const percent = new Intl.NumberFormat(locale, { style: 'percent' }).format(share)
  const times = { left: durationText(left), total: durationText(total), share: percent }
  return (
    <div className={classes.budget}>
      <div className={classes.bar} aria-hidden="true">
        <span
          className={stateClass(serviceLevelMarks[current.status])}
          style={{ '--share': `${share * 100}%` } as CSSProperties}
        />
      </div>
      <p className={classes.quiet}>
        {fill(left < 0 ? texts.exceeded : texts.budgetLeft, {
          ...times,
          left: durationText(Math.abs(left)),
        })}
        {burnRate !== null &&
          ` · ${fill(texts.burn, { rate: new Intl.NumberFormat(locale, { maximumFractionDigits: 2 }).format(burnRate) })}`}
      </p>
    </div>
  )
}
