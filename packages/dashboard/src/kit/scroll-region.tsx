/** Region that scrolls on its own, such as a wide table. */
import type { ReactNode } from 'react'
import classes from './scroll-region.module.css'

interface ScrollRegionProps {
  label: string
  children: ReactNode
}

export const ScrollRegion = ({ label, children }: ScrollRegionProps) => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
  // biome-ignore lint/a11y/noNoninteractiveTabindex: without focus the keyboard cannot scroll it
  <div className={classes.region} role="group" aria-label={label} tabIndex={0}>
    {children}
  </div>
)
