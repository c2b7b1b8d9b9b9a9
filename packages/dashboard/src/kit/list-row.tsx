/** Row of a list: state, title, facts and actions. */
import type { ReactNode } from 'react'
import { Icon, type State, StateMark } from './icon.tsx'
import classes from './list-row.module.css'

interface ListRowProps {
  state: State
  title: ReactNode
  /** Fact that needs an action, before the others. */
  warning?: string
  facts?: readonly (string | null | undefined)[]
  actions?: ReactNode
}

export const ListRow = ({ state, title, warning, facts = [], actions }: ListRowProps) => {
  const shown = facts.filter((fact) => typeof fact === 'string' && fact !== '')
  return (
    <li className={classes.row}>
      <StateMark state={state} />
      <div className={classes.text}>
        <p className={classes.title}>
          <bdi>{title}</bdi>
        </p>
        {warning !== undefined && (
          <p className={classes.warning}>
            <Icon name="clock" />
            <bdi>{warning}</bdi>
          </p>
        )}
        {shown.length > 0 && (
          <p className={classes.facts}>
            {shown.map((fact) => (
              <span key={fact}>
                <bdi>{fact}</bdi>
              </span>
            ))}
          </p>
        )}
      </div>
      {actions}
    </li>
  )
}
