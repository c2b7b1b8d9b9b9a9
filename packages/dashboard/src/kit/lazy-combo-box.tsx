/**
 * Combo box of a view, loaded while the rest of the view is displayed: with its virtual list it is
 * 16 kB. The composer, which must work without a network, contains it.
 */
import { lazy, Suspense } from 'react'
import classes from './combo-box.module.css'
import type { ComboBoxProps } from './combo-box.tsx'
import fieldClasses from './field.module.css'

const ComboBox = lazy(async () => {
  const { ComboBox: component } = await import('./combo-box.tsx')
  return { default: component }
})

export const LazyComboBox = (props: ComboBoxProps) => (
  <Suspense fallback={<Placeholder {...props} />}>
    <ComboBox {...props} />
  </Suspense>
)

/** Field of the same size. */
const Placeholder = ({ label, isLabelHidden = false }: ComboBoxProps) => (
  <div className={fieldClasses.field}>
    <span className={isLabelHidden ? 'visually-hidden' : fieldClasses.label}>{label}</span>
    <span className={classes.group} />
  </div>
)
