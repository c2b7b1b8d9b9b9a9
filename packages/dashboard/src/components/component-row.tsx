/** Content of one row of the list of components. */
import { memo } from 'react'
import { StateMark } from '../kit/icon.tsx'
import { Truncated } from '../kit/truncated.tsx'
import { componentStates } from '../overview/states.ts'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './components.module.css'
import type { ComponentData } from './tree.ts'

export const ComponentRow = memo(({ component }: { component: ComponentData }) => {
  const texts = useTexts()
  const { columns, row, types } = texts.componentScreens
  const { number, percent, fill, time } = useFormats()
  const { name, type, status, isEnabled, isMuted, lastCheckAt } = component
  const { uptimePercentage: uptime, averageResponseTime: average } = component
  const isChecked = type !== 'SERVICE'
  return (
    <>
      <StateMark state={isEnabled ? componentStates[status] : 'none'} />
      <div className={classes.name}>
        <span className={classes.nameText}>
          <Truncated>{name}</Truncated>
        </span>
        <span className={classes.flags}>
          <span>{types[type]}</span>
          {!isEnabled && <span className={classes.flag}>{row.disabled}</span>}
          {isMuted && <span className={classes.flag}>{row.muted}</span>}
        </span>
      </div>
      <span className={classes.status}>{texts.components[status]}</span>
      <Cell label={columns.uptime}>{uptime === null ? '–' : percent(uptime)}</Cell>
      <Cell label={columns.responseTime}>
        {average === null ? '–' : fill(row.milliseconds, { value: number(Math.round(average)) })}
      </Cell>
      <Cell label={columns.lastCheck}>
        {lastCheckAt !== null ? time(lastCheckAt) : isChecked ? row.never : '–'}
      </Cell>
    </>
  )
})

/** Value with the name of its column, which screen readers announce. */
const Cell = ({ label, children }: { label: string; children: string }) => (
  <span className={classes.cell}>
    <span className="visually-hidden">{label} </span>
    {children}
  </span>
)
