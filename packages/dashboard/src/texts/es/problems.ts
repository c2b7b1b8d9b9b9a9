/** Spanish texts of problems that requests have. */
import type { problems as model } from '../en/problems.ts'

export const problems: typeof model = {
  keywords: {
    required: 'Este valor es obligatorio',
    minLength: 'Como mínimo {limit} caracteres',
    maxLength: 'Como máximo {limit} caracteres',
    minimum: 'Como mínimo {limit}',
    maximum: 'Como máximo {limit}',
    maxItems: 'Como máximo {limit} entradas',
    exists: 'Ya no existe',
    distinct: 'Aparece dos veces',
    future: 'Debe estar en el futuro',
    notFuture: 'No debe estar en el futuro',
    after: 'Debe ser posterior a «{limit}»',
    notAfter: 'No debe ser posterior a «{limit}»',
    notGreater: 'No debe ser mayor que «{limit}»',
  },
  url: 'Se necesita una URL completa, por ejemplo https://example.com',
  email: 'Se necesita una dirección de correo, por ejemplo nombre@example.com',
  phone: 'Se necesita un número de teléfono con el prefijo del país, por ejemplo +14155550123',
  domain: 'Se necesita un nombre de dominio, por ejemplo example.com',
  invalid: 'Este valor no es válido ({detail})',
  duplicate: 'Este valor ya está en uso ({detail})',
  refused: 'La acción no es posible ({detail})',
  gone: 'El elemento ya no existe o no pertenece a su organización.',
  unavailable: 'El servicio no está disponible por el momento. Inténtelo de nuevo en un instante.',
  failed: 'Se produjo un error inesperado. Inténtelo de nuevo; si el error persiste, notifíquelo.',
  bodyTooLarge: 'El contenido es demasiado grande.',
}
