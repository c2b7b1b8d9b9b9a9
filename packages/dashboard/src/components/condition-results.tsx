/** Conditions of a check with the values that it found. */
import { StateMark } from '../kit/icon.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './detail.module.css'
import type { CheckRecord } from './results.ts'

interface ConditionResultsProps {
  results: CheckRecord['conditionResults']
}

export const ConditionResults = ({ results }: ConditionResultsProps) => {
  const { componentScreens, conditions } = useTexts()
  const { test } = componentScreens
  const { fill } = useFormats()
  return (
    <ul className={classes.conditions} aria-label={test.conditions}>
      {results.map(({ type, comparator, target, actual, passed }) => (
        <li key={`${type} ${comparator} ${target}`}>
          <StateMark state={passed ? 'ok' : 'down'} />
          <span className="visually-hidden">{passed ? test.holds : test.fails}</span>
          <span>
            {conditions.conditionTypes[type]} {conditions.comparators[comparator]}{' '}
            <code dir="ltr">{target}</code>
          </span>
          <span className={classes.quiet}>
            {actual === null ? test.noValue : fill(test.actual, { value: actual })}
          </span>
        </li>
      ))}
    </ul>
  )
}
