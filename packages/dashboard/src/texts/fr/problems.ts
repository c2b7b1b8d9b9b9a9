/** French texts of problems that requests have. */
import type { problems as model } from '../en/problems.ts'

export const problems: typeof model = {
  keywords: {
    required: 'Cette valeur est obligatoire',
    minLength: 'Au moins {limit} caractères',
    maxLength: 'Au plus {limit} caractères',
    minimum: 'Au moins {limit}',
    maximum: 'Au plus {limit}',
    maxItems: 'Au plus {limit} entrées',
    exists: 'N’existe plus',
    distinct: 'Figure deux fois',
    future: 'Doit être dans le futur',
    notFuture: 'Ne doit pas être dans le futur',
    after: 'Doit être postérieur à «\u00a0{limit}\u00a0»',
    notAfter: 'Ne doit pas être postérieur à «\u00a0{limit}\u00a0»',
    notGreater: 'Ne doit pas dépasser «\u00a0{limit}\u00a0»',
  },
  url: 'Une URL complète est requise, par exemple https://example.com',
  email: 'Une adresse e-mail est requise, par exemple nom@example.com',
  phone: 'Un numéro de téléphone avec l’indicatif du pays est requis, par exemple +14155550123',
  domain: 'Un nom de domaine est requis, par exemple example.com',
  invalid: 'Cette valeur n’est pas valide ({detail})',
  duplicate: 'Cette valeur est déjà utilisée ({detail})',
  refused: 'L’action est impossible ({detail})',
  gone: 'L’élément n’existe plus ou n’appartient pas à votre organisation.',
  unavailable: 'Le service n’est pas disponible pour le moment. Réessayez dans un instant.',
  failed:
    'Une erreur inattendue s’est produite. Réessayez\u00a0; si l’erreur persiste, signalez-la.',
  bodyTooLarge: 'Le contenu est trop volumineux.',
}
