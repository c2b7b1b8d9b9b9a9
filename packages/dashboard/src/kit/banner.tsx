/** Notices about the whole application, such as the loss of the connection; empty without one. */
import type { ReactNode } from 'react'
import classes from './banner.module.css'

export const Banner = ({ children }: { children: ReactNode }) => (
  <div role="status">{Boolean(children) && <p className={classes.banner}>{children}</p>}</div>
)
