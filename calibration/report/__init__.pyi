from .figures import fit_figure as fit_figure
from .figures import save_figure as save_figure
from .json import write_json as write_json
from .page import write_page as write_page
from .profile_figure import profile_figure as profile_figure
