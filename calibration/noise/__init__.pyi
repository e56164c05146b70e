from .models import Automatic as Automatic
from .models import Correlated as Correlated
from .models import Estimated as Estimated
from .models import Huber as Huber
from .models import Known as Known
from .models import NoiseModel as NoiseModel
from .models import StudentT as StudentT
