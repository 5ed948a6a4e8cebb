from .algorithms import *
from .algorithms import AdaBoostClassifier
