/** Buttons, and the class of links that look like buttons. */
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components'
import classes from './button.module.css'

type Emphasis = 'primary' | 'secondary' | 'quiet' | 'danger' | 'chip'

interface ButtonProps extends AriaButtonProps {
  emphasis?: Emphasis
}

export const buttonClass = (emphasis: Emphasis = 'secondary'): string =>
  `${classes.button} ${classes[emphasis]}`

export const Button = ({ emphasis = 'secondary', ...props }: ButtonProps) => (
  <AriaButton {...props} className={buttonClass(emphasis)} />
)
