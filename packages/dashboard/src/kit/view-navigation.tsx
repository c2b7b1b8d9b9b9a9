/** Links between the views of one subject, below its title. */
import type { ReactNode } from 'react'
import classes from './view-navigation.module.css'

export const ViewNavigation = ({ label, children }: { label: string; children: ReactNode }) => (
  <nav className={classes.views} aria-label={label}>
    {children}
  </nav>
)
