/**
 * Combo box of a view, loaded while the rest of the view is displayed: with its virtual list it is
 * 16 kB. The composer, which must work without a network, contains it.
 */
import { lazyPart } from '../modules/lazy-part.tsx'
import classes from './combo-box.module.css'
import type { AddComboBoxProps } from './combo-box.tsx'
import fieldClasses from './field.module.css'

/** Field of the same size. */
const Placeholder = ({ label, isLabelHidden = false }: AddComboBoxProps) => (
  <div className={fieldClasses.field}>
    <span className={isLabelHidden ? 'visually-hidden' : fieldClasses.label}>{label}</span>
    <span className={classes.group} />
  </div>
)

export const LazyComboBox = lazyPart(
  async () => (await import('./combo-box.tsx')).ComboBox,
  Placeholder,
)

export const LazyAddComboBox = lazyPart(
  async () => (await import('./combo-box.tsx')).AddComboBox,
  Placeholder,
)
