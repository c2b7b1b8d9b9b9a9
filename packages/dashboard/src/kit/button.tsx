/** Buttons, and the class of links that look like buttons. */
import { useState } from 'react'
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components'
import classes from './button.module.css'

type Emphasis = 'primary' | 'secondary' | 'quiet' | 'danger' | 'chip'

interface ButtonProps extends AriaButtonProps {
  emphasis?: Emphasis
}

export const buttonClass = (emphasis: Emphasis = 'secondary'): string =>
  `${classes.button} ${classes[emphasis]}`

/**
 * Button that retains the focus while it is disabled, such as during its request: a browser takes
 * the focus from a disabled element, but not from a pending one, which does nothing either.
 */
export const Button = (props: ButtonProps) => {
  const { emphasis, isDisabled, isPending, ...others } = props
  const [isFocused, setFocused] = useState(false)
  return (
    <AriaButton
      {...others}
      className={buttonClass(emphasis)}
      isDisabled={isDisabled && !isFocused}
      isPending={isPending || (isDisabled && isFocused)}
      onFocus={() => setFocused(true)}
      // The element of a window in the background is the active one.
      onBlur={({ target }) => setFocused(target === document.activeElement)}
    />
  )
}
