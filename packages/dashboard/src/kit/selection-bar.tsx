/** Actions on the selected rows of a list, below it: no row moves when the bar appears. */
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import classes from './selection-bar.module.css'

/** Place of the bar and of the results of its actions, which is reserved while it is empty. */
export const SelectionRegion = ({ children }: { children: ReactNode }) => (
  <div className={classes.region} aria-live="polite">
    {children}
  </div>
)

interface SelectionBarProps {
  label: string
  /** Number of selected rows, as a text. */
  count: string
  clear: string
  onClear(): void
  children: ReactNode
}

export const SelectionBar = ({ label, count, clear, onClear, children }: SelectionBarProps) => (
  <section className={classes.bar} aria-label={label}>
    <p className={classes.count}>{count}</p>
    <Button emphasis="quiet" onPress={onClear}>
      {clear}
    </Button>
    <div className={classes.actions}>{children}</div>
  </section>
)
