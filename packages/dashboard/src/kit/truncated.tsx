/** Text on one line. What does not fit is cut at its end, in the direction of the text itself. */
import classes from './truncated.module.css'

export const Truncated = ({ children }: { children: string }) => (
  <span className={classes.text} dir="auto" title={children}>
    {children}
  </span>
)
