SELECT *
FROM {{ ref('analyze_share') }}
WHERE analyze_share < 0 OR analyze_share > 1
