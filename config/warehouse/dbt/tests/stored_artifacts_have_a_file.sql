-- What is stored has a hash and a path; what is not has a reason.
SELECT *
FROM {{ ref('current_artifacts') }}
WHERE (status = 'stored' AND (sha256 IS NULL OR path IS NULL))
  OR (status <> 'stored' AND reason IS NULL)
